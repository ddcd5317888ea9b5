import type { Configuration } from '../config/config.ts'
import type { DatabaseLocation } from '../database/connection.ts'

/** Where the database is. */
export function locationOf(
  { databaseUrl, dataDir }: Pick<Configuration, 'databaseUrl' | 'dataDir'>,
  instanceId: string,
): DatabaseLocation {
  return databaseUrl === undefined
    ? { kind: 'embedded', directory: dataDir, instanceId }
    : { kind: 'server', url: databaseUrl }
}

/** The addresses of the platform as browsers know them. */
export interface PublicPlace {
  /** Scheme, host and port. */
  readonly origin: string
  /** With the base path, without a slash at its end. */
  readonly url: string
}

/** @param port the one that was really taken */
export function publicPlace(
  { publicUrl, basePath, httpTlsCert }: Pick<Configuration, 'publicUrl' | 'basePath' | 'httpTlsCert'>,
  port: number,
): PublicPlace {
  const scheme = httpTlsCert === undefined ? 'http' : 'https'
  const origin = publicUrl ?? `${scheme}://localhost:${port}`
  return { origin, url: origin + basePath }
}

/** Whether browsers reach the platform by https. */
export function isSecure({ publicUrl, httpTlsCert }: Configuration): boolean {
  return publicUrl === undefined ? httpTlsCert !== undefined : publicUrl.startsWith('https:')
}
