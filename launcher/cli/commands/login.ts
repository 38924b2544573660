import type { Command } from 'commander';
import { removeLogin, writeLogin } from '../../operator-logins.ts';
import { readOidcConfig } from '../config.ts';
import { CommandFailure } from '../failure.ts';
import { logIn } from '../oidc-login.ts';
import { operatorName, ownLoginFile } from '../operator-key.ts';
import { type GlobalOptions, withSession } from '../session.ts';

type LoginOptions = GlobalOptions & { device?: boolean; scope: string };

/** login | logout */
export function loginCommands(program: Command): void {
  program
    .command('login')
    .description('log in at the OpenID provider of OPERATOR_OIDC_ISSUER; your commands are then signed with the login')
    .option('--device', 'log in with a browser on another machine')
    .option('--scope <scopes>', 'what the provider is asked for, such as "openid groups"', 'openid')
    .action((_, command: Command) => login(command.optsWithGlobals()));
  program
    .command('logout')
    .description('forget the login on this machine')
    .action((_, command: Command) => logout(command.optsWithGlobals()));
}

async function login(options: LoginOptions): Promise<void> {
  const id = operatorName(options);
  const { issuer, clientId } = readOidcConfig(process.env);
  const tell = (line: string) => void process.stderr.write(`gerbang: ${line}\n`);
  const made = await logIn({ issuer, clientId, scope: options.scope, device: options.device ?? false, tell });
  const file = ownLoginFile(id);
  writeLogin(file, made);
  const { subject, expiresAt } = made;
  await withSession(options, async (session) => {
    session.show({ id, issuer: made.issuer, subject, expires_at: expiresAt.toISOString(), file }, [
      `logged in until ${expiresAt.toISOString()}; an admin enrols you with: gerbang operators enrol ${id} <role> --oidc-subject ${subject}`,
    ]);
  });
}

async function logout(options: GlobalOptions): Promise<void> {
  const id = operatorName(options);
  if (!removeLogin(ownLoginFile(id))) throw new CommandFailure(`${id} is not logged in`);
  await withSession(options, async (session) => session.show({ id }, [`${id} is logged out on this machine`]));
}
