import type { Configuration } from '../config/config.ts'
import type { DatabaseLocation } from '../database/connection.ts'

/** The location of the database. */
export function locationOf(
  { databaseUrl, dataDir }: Pick<Configuration, 'databaseUrl' | 'dataDir'>,
  instanceId: string,
): DatabaseLocation {
  return databaseUrl === undefined
    ? { kind: 'embedded', directory: dataDir, instanceId }
    : { kind: 'server', url: databaseUrl }
}

/** The public addresses of the platform. */
export interface PublicPlace {
  /** Scheme, host and port. */
  readonly origin: string
  /** With the base path, without a trailing slash. */
  readonly url: string
}

/** @param port the actual port */
export function publicPlace(
  { publicUrl, basePath, httpTlsCert }: Pick<Configuration, 'publicUrl' | 'basePath' | 'httpTlsCert'>,
  port: number,
): PublicPlace {
  const scheme = httpTlsCert === undefined ? 'http' : 'https'
  const origin = publicUrl ?? `${scheme}://localhost:${port}`
  return { origin, url: origin + basePath }
}

/** True if browsers reach the platform over https. */
export function isSecure({ publicUrl, httpTlsCert }: Configuration): boolean {
  return publicUrl === undefined ? httpTlsCert !== undefined : publicUrl.startsWith('https:')
}
