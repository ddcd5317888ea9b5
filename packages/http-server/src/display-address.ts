/** A URL by which this machine reaches the address: wildcard addresses become loopback. */
export function httpUrl(scheme: 'http' | 'https', host: string | undefined, port: number): string {
  return `${scheme}://${hostAndPort(host, port)}`
}

/** Like `httpUrl`, without a scheme. */
export function hostAndPort(host: string | undefined, port: number): string {
  const name = host === undefined || host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `${name.includes(':') ? `[${name}]` : name}:${port}`
}
