import { BASE } from '../api/client.ts'

/** Set by the build: the product version. */
declare const STUDIO_VERSION: string

export const VERSION: string = STUDIO_VERSION

/** The API documentation, served by the platform itself. */
export const DOCUMENTATION = `${BASE}/docs/`
