/** The appName in a MongoDB address, undefined if there is none. Option names know no case. */
export function appNameOf(address: string): string | undefined {
  return [...optionsOf(address)].find(([name]) => name.toLowerCase() === 'appname')?.[1];
}

/** The same address under another appName. */
export function withAppName(address: string, appName: string): string {
  const [hosts = ''] = address.split('?');
  const options = new URLSearchParams([...optionsOf(address)].filter(([name]) => name.toLowerCase() !== 'appname'));
  options.set('appName', appName);
  const withPath = hosts.slice(hosts.indexOf('://') + 3).includes('/') ? hosts : `${hosts}/`;
  return `${withPath}?${options.toString()}`;
}

function optionsOf(address: string): URLSearchParams {
  return new URLSearchParams(address.split('?')[1] ?? '');
}
