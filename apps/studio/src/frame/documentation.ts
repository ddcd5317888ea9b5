import { BASE } from '../api/client.ts'

/** Set by the build: the version of the product. */
declare const STUDIO_VERSION: string

export const VERSION: string = STUDIO_VERSION

/** The description of the platform's interface, which it serves itself. */
export const DOCUMENTATION = `${BASE}/docs/`
