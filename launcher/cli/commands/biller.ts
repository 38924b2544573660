import { readFileSync } from 'node:fs';
import { formatSen } from '@gerbang/core';
import { BillerOperatorService, type Product, type UnresolvedPurchase } from '@gerbang/proto/gerbang/biller/v1/biller';
import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { CommandFailure } from '../failure.ts';
import { type GlobalOptions, type Session, withSession } from '../session.ts';
import { count, moment, rupiah, rupiahOrZero, toIso, toRupiah } from '../values.ts';

type Digits = { min: number; max: number };
type ProductOptions = GlobalOptions & {
  command: string;
  name: string;
  amount: bigint;
  admin: bigint;
  railCode: string;
  digits: Digits;
  prefix: string;
  token: boolean;
  from: bigint;
  until: bigint;
};
type ResolveOptions = GlobalOptions & { tokenFile?: string };

/** biller products list | set, biller unresolved, biller resolve */
export function billerCommands(program: Command): void {
  const biller = program.command('biller').description('prepaid products, and purchases that operators have to decide');
  productCommands(biller.command('products').description('what merchants can buy'));
  biller
    .command('unresolved')
    .description('list purchases whose outcome the biller does not know, the oldest first')
    .option('--limit <count>', 'purchases to show', count, 100)
    .action((_, command: Command) => listUnresolved(command.optsWithGlobals()));
  biller
    .command('resolve')
    .description("propose an outcome, or approve another operator's proposal by giving the same one")
    .argument('<reference>', 'reference number')
    .addArgument(new Argument('<outcome>', 'what has happened at the biller').choices(['succeeded', 'failed']))
    .option('--token-file <file>', 'the 20 digits that the biller has told, in a file; - is the standard input')
    .action((reference: string, outcome: string, _, command: Command) => resolve(command.optsWithGlobals(), reference, outcome));
}

function productCommands(products: Command): void {
  products
    .command('list')
    .description('show every version of every product; of those in effect the one that began last applies')
    .action((_, command: Command) => listProducts(command.optsWithGlobals()));
  products
    .command('set')
    .description('add a version of a product; it replaces the one that comes into effect at the same time')
    .argument('<code>', 'product_code, for instance PULSA25')
    .requiredOption('--command <command>', 'what kind of product, for instance pulsa')
    .requiredOption('--name <name>', 'what merchants read')
    .addOption(new Option('--amount <rupiah>', 'what the customer gets').argParser(rupiah).makeOptionMandatory())
    .addOption(new Option('--admin <rupiah>', 'what is charged on top').argParser(rupiahOrZero).makeOptionMandatory())
    .requiredOption('--rail-code <code>', 'what the rail calls the product')
    .addOption(
      new Option('--digits <min-max>', "how many digits a customer's number has, for instance 10-13")
        .argParser(digits)
        .makeOptionMandatory(),
    )
    .option('--prefix <digits>', "how a customer's number begins", '')
    .option('--token', 'a success brings a token of 20 digits', false)
    .addOption(new Option('--from <time>', 'when it comes into effect; always unless given').argParser(moment).default(0n, '0'))
    .addOption(new Option('--until <time>', 'when it ends; never unless given').argParser(moment).default(0n, '0'))
    .action((code: string, _, command: Command) => setProduct(command.optsWithGlobals(), code));
}

function setProduct(options: ProductOptions, code: string): Promise<void> {
  return withSession(options, async (session) => {
    const product = {
      code,
      command: options.command,
      name: options.name,
      amountSen: options.amount,
      adminSen: options.admin,
      railCode: options.railCode,
      customerDigitsMin: options.digits.min,
      customerDigitsMax: options.digits.max,
      customerPrefix: options.prefix,
      givesToken: options.token,
      effectiveFromMs: options.from,
      effectiveUntilMs: options.until,
    };
    await (await clientOf(session)).setProduct({ product });
    session.show(toJson(product), [toLine(product)]);
  });
}

function listProducts(options: GlobalOptions): Promise<void> {
  return withSession(options, async (session) => {
    const { products } = await (await clientOf(session)).listProductVersions({});
    session.show(products.map(toJson), products.map(toLine));
  });
}

function listUnresolved(options: GlobalOptions & { limit: number }): Promise<void> {
  return withSession(options, async (session) => {
    const { items } = await (await clientOf(session)).listUnresolvedPurchases({ limit: options.limit });
    session.show(
      items.map(unresolvedToJson),
      items.length === 0 ? ['nothing waits for a decision'] : items.map(unresolvedToLine),
    );
  });
}

function resolve(options: ResolveOptions, referenceNumber: string, outcome: string): Promise<void> {
  return withSession(options, async (session) => {
    const token = options.tokenFile === undefined ? '' : readToken(options.tokenFile);
    const request = { referenceNumber, outcome, token };
    const { decided } = await (await clientOf(session)).resolvePurchase(request);
    session.show({ reference_number: referenceNumber, outcome, decided }, [
      decided
        ? `${referenceNumber} has ${outcome}`
        : `proposed that ${referenceNumber} has ${outcome}; a second operator approves it by the same command`,
    ]);
  });
}

function clientOf(session: Session) {
  return session.signedClient('biller', BillerOperatorService);
}

/** Never an argument: those are in the shell's history and in the list of processes. */
function readToken(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8').trim();
  } catch {
    throw new CommandFailure(`${file} can not be read`);
  }
}

function digits(text: string): Digits {
  const [, min, max = min] = /^([0-9]{1,2})(?:-([0-9]{1,2}))?$/.exec(text) ?? [];
  if (min === undefined) throw new InvalidArgumentError('Expected a number or two, such as 11 or 10-13.');
  return { min: Number(min), max: Number(max) };
}

type ProductFields = Omit<Product, '$typeName' | '$unknown'>;

function toJson(product: ProductFields) {
  return {
    code: product.code,
    command: product.command,
    name: product.name,
    amount: formatSen(product.amountSen),
    admin: formatSen(product.adminSen),
    rail_code: product.railCode,
    customer_digits_min: product.customerDigitsMin,
    customer_digits_max: product.customerDigitsMax,
    customer_prefix: product.customerPrefix,
    gives_token: product.givesToken,
    effective_from: toIso(product.effectiveFromMs),
    effective_until: product.effectiveUntilMs === 0n ? null : toIso(product.effectiveUntilMs),
  };
}

/** For instance "plntok  PLN50: IDR 50000.00 + IDR 2500.00 admin, PLN-PREPAID-50 at the rail, 11-12 digits, with a token". */
function toLine(product: ProductFields): string {
  const parts = [
    `${product.command}  ${product.code}: ${toRupiah(product.amountSen)} + ${toRupiah(product.adminSen)} admin`,
    `${product.railCode} at the rail`,
    `${product.customerDigitsMin}-${product.customerDigitsMax} digits`,
  ];
  if (product.customerPrefix !== '') parts.push(`beginning with ${product.customerPrefix}`);
  if (product.givesToken) parts.push('with a token');
  if (product.effectiveFromMs > 0n) parts.push(`from ${toIso(product.effectiveFromMs)}`);
  if (product.effectiveUntilMs > 0n) parts.push(`until ${toIso(product.effectiveUntilMs)}`);
  return parts.join(', ');
}

function unresolvedToJson({ purchase, sinceMs, reason, proposedBy, proposedOutcome }: UnresolvedPurchase) {
  return {
    reference_number: purchase?.referenceNumber ?? '',
    transaction_id: purchase?.transactionId ?? '',
    merchant_id: purchase?.merchantId ?? '',
    account_id: purchase?.accountId ?? '',
    product_code: purchase?.productCode ?? '',
    price: formatSen((purchase?.amountSen ?? 0n) + (purchase?.adminSen ?? 0n)),
    since: toIso(sinceMs),
    reason,
    proposed_by: proposedBy,
    proposed_outcome: proposedOutcome,
  };
}

function unresolvedToLine(item: UnresolvedPurchase): string {
  const { reference_number, merchant_id, product_code, price, since, reason, proposed_by, proposed_outcome } =
    unresolvedToJson(item);
  const proposal = proposed_by === '' ? '' : `  ${proposed_by} proposes ${proposed_outcome}`;
  return `${reference_number}  ${merchant_id}  ${product_code}  IDR ${price}  since ${since}  ${reason}${proposal}`;
}
