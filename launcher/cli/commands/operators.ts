import { existsSync } from 'node:fs';
import { newOperatorKey, publicKeyOf } from '@gerbang/neighbours';
import {
  type NewOperator,
  type Operator,
  OperatorAdminService,
  OperatorStatus,
  Role,
} from '@gerbang/proto/gerbang/operator/v1/operator';
import { Argument, type Command, InvalidArgumentError } from 'commander';
import { writeOperatorKey } from '../../operator-keys.ts';
import { CommandFailure } from '../failure.ts';
import { ownKeyFile } from '../operator-key.ts';
import { type GlobalOptions, type Session, withSession } from '../session.ts';
import { toIso } from '../values.ts';

const ROLES = { viewer: Role.VIEWER, support: Role.SUPPORT, finance: Role.FINANCE, admin: Role.ADMIN } as const;
type RoleName = keyof typeof ROLES;

type Enrolment = Omit<NewOperator, '$typeName' | '$unknown'>;

const NEW_OPERATOR = 'id=public-key, as operators new-key shows it';

/** operators new-key | set-up | enrol | role | disable | list | whoami */
export function operatorCommands(program: Command): void {
  const operators = program.command('operators').description('the persons who may give commands');
  operators
    .command('new-key')
    .description('make your own key; give its public half to an admin, who enrols you')
    .argument('<id>', 'your id: a-z, 0-9, ".", "-" and "_"')
    .option('--out <file>', 'where the key is put; ~/.config/gerbang/<id>.json unless given')
    .action((id: string, _, command: Command) => newKey(command.optsWithGlobals(), id));
  operators
    .command('set-up')
    .description('enrol the first two admins, once')
    .argument('<first>', NEW_OPERATOR, enrolment)
    .argument('<second>', NEW_OPERATOR, enrolment)
    .action((first: Enrolment, second: Enrolment, _, command: Command) => setUp(command.optsWithGlobals(), [first, second]));
  operators
    .command('enrol')
    .description('enrol one more; for finance and admin a second operator approves')
    .argument('<operator>', `${NEW_OPERATOR}; only the id with --oidc-subject`)
    .addArgument(roleArgument())
    .option('--oidc-subject <subject>', 'who logs in at the OpenID provider instead: the subject that gerbang login shows')
    .option('--name <name>', 'for people to read; the id unless given')
    .action((operator: string, role: RoleName, _, command: Command) => enrol(command.optsWithGlobals(), operator, role));
  operators
    .command('role')
    .description('give an operator another role')
    .argument('<id>', 'whose')
    .addArgument(roleArgument())
    .action((id: string, role: RoleName, _, command: Command) =>
      show(command.optsWithGlobals(), (admins) => admins.setRole({ id, role: ROLES[role] })),
    );
  operators
    .command('disable')
    .description('disable an operator for good; the id is not used again')
    .argument('<id>', 'the operator')
    .action((id: string, _, command: Command) => show(command.optsWithGlobals(), (admins) => admins.disableOperator({ id })));
  operators
    .command('list')
    .description('list all operators')
    .action((_, command: Command) => list(command.optsWithGlobals()));
  operators
    .command('whoami')
    .description('show who you are to the services')
    .action((_, command: Command) => show(command.optsWithGlobals(), (admins) => admins.whoAmI({})));
}

function roleArgument(): Argument {
  return new Argument('<role>', 'what the operator may do').choices(Object.keys(ROLES));
}

function enrolment(text: string): Enrolment {
  const [id = '', publicKey = '', more] = text.split('=');
  if (publicKey === '' || more !== undefined) throw new InvalidArgumentError(`Expected ${NEW_OPERATOR}.`);
  return { id, publicKey, oidcSubject: '', name: id };
}

async function newKey(options: GlobalOptions & { out?: string }, id: string): Promise<void> {
  const file = options.out ?? ownKeyFile(id);
  if (existsSync(file)) throw new CommandFailure(`${file} is there already`);
  const key = await newOperatorKey(id);
  writeOperatorKey(file, key);
  const line = `${id}=${publicKeyOf(key)}`;
  await withSession(options, async (session) => {
    session.show({ id, public_key: publicKeyOf(key), file }, [`the key is in ${file}; for the admin who enrols you:`, line]);
  });
}

function setUp(options: GlobalOptions, admins: Enrolment[]): Promise<void> {
  return withSession(options, async (session) => {
    const anyone = await session.client('merchant', OperatorAdminService);
    const made = await anyone.setUp({ admins });
    session.show(made.admins.map(toJson), made.admins.map(toLine));
  });
}

type EnrolOptions = GlobalOptions & { name?: string; oidcSubject?: string };

function enrol(options: EnrolOptions, operator: string, role: RoleName): Promise<void> {
  const { oidcSubject } = options;
  if (oidcSubject !== undefined && operator.includes('=')) {
    throw new CommandFailure('an operator has a key or a subject at the OpenID provider, not both');
  }
  const person = oidcSubject === undefined ? enrolment(operator) : { id: operator, publicKey: '', oidcSubject };
  const named = { ...person, name: options.name ?? person.id };
  return show(options, (admins) => admins.enrolOperator({ operator: named, role: ROLES[role] }));
}

function list(options: GlobalOptions): Promise<void> {
  return withSession(options, async (session) => {
    const { operators } = await (await session.adminService()).listOperators({});
    session.show(operators.map(toJson), operators.map(toLine));
  });
}

type Admins = Awaited<ReturnType<Session['adminService']>>;

/** Shows the operator that a command is about. */
function show(options: GlobalOptions, ask: (admins: Admins) => Promise<{ operator?: Operator | undefined }>): Promise<void> {
  return withSession(options, async (session) => {
    const { operator } = await ask(await session.adminService());
    if (operator === undefined) throw new Error('the answer has no operator');
    session.show(toJson(operator), [toLine(operator)]);
  });
}

function toJson(operator: Operator) {
  return {
    id: operator.id,
    name: operator.name,
    role: roleName(operator),
    active: operator.status === OperatorStatus.ACTIVE,
    issuer: operator.issuer,
    ...(operator.subject === '' ? { public_key: operator.publicKey } : { subject: operator.subject }),
    enrolled_by: operator.enrolledBy,
    enrolled_at: toIso(operator.enrolledAtMs),
  };
}

function toLine(operator: Operator): string {
  const status = operator.status === OperatorStatus.ACTIVE ? roleName(operator) : `${roleName(operator)}, disabled`;
  const by = operator.enrolledBy === '' ? 'set-up' : operator.enrolledBy;
  return `${operator.id}  ${operator.name}  ${status}  enrolled ${toIso(operator.enrolledAtMs)} by ${by}`;
}

function roleName({ role }: Operator): string {
  return Role[role]?.toLowerCase() ?? 'unknown';
}
