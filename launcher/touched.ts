/** Products and services whose own files are not counted, by the names of their folders. */
export type Own = { products: readonly string[]; services: readonly string[] };

/** Made from other files. */
const GENERATED = [/^packages\/proto\/src\//, /^services\/edge\/src\/openapi\/examples\.json$/, /^pnpm-lock\.yaml$/];
const DOCUMENTATION = [/^docs\//, /\.md$/];
const TESTS = [/\.test\.ts$/, /^test\//, /^(?:launcher|packages\/[^/]+|services\/[^/]+)\/test\//];

/**
 * The files among `changed` (paths from the repository's root) that are outside the folders of what has been built, in the order
 * of their names. Its own are:
 *
 * - of a product: every folder of its name in a service (services/money-in/src/virtual-account/,
 *   services/edge/src/routes/virtual-accounts/), and its file or folder in packages/present/src and proto/gerbang;
 * - of a service: services/<name>/ and proto/gerbang/<name>/.
 *
 * Generated files, documentation and tests are not counted.
 */
export function touchedFiles(changed: readonly string[], { products, services }: Own): string[] {
  const isOwn = [...products.map(isOfProduct), ...services.map(isOfService)];
  return changed
    .filter((file) => ![...GENERATED, ...DOCUMENTATION, ...TESTS].some((pattern) => pattern.test(file)))
    .filter((file) => !isOwn.some((owns) => owns(file)))
    .toSorted();
}

function isOfProduct(product: string): (file: string) => boolean {
  const name = namePattern(product);
  const own = [
    new RegExp(`^services/[^/]+/src/(?:[^/]+/)*${name}/`),
    new RegExp(`^packages/(?:present|rails)/src/(?:[^/]+/)*${name}(?:/|\\.ts$)`),
    new RegExp(`^proto/gerbang/(?:[^/]+/)*${name}(?:/|\\.proto$)`),
  ];
  return (file) => own.some((pattern) => pattern.test(file));
}

function isOfService(service: string): (file: string) => boolean {
  const own = [new RegExp(`^services/${namePattern(service)}/`), new RegExp(`^proto/gerbang/${namePattern(service)}/`)];
  return (file) => own.some((pattern) => pattern.test(file));
}

/**
 * A name as folders and proto have it: with dashes or underscores, in the singular or the plural. Throws for what is no such
 * name.
 */
function namePattern(name: string): string {
  if (!/^[a-z][a-z0-9-]*$/.test(name)) throw new Error(`${name} is no name of a folder`);
  return `${name.replaceAll('-', '[-_]')}s?`;
}
