/** The filters of the list of releases in the URL. */
export interface ReleasesSearch {
  readonly q?: string
  readonly status?: string
  readonly environment?: string
  readonly scope?: 'organization'
}

/** Parses the URL parameters of the list of releases. */
export function releasesSearch(search: Readonly<Record<string, unknown>>): ReleasesSearch {
  const { q, status, environment, scope } = search
  return {
    ...(typeof q === 'string' && q !== '' && { q }),
    ...(typeof status === 'string' && status !== '' && { status }),
    ...(typeof environment === 'string' && environment !== '' && { environment }),
    ...(scope === 'organization' && { scope }),
  }
}
