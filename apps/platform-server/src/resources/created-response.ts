import { type Answer } from '@engine/http-server'
import { json } from '../http/json-response.ts'

/**
 * The answer to a request that created a resource: its location, and its entity tag if it has revisions.
 *
 * @param path path of the new resource, with the base path
 */
export function created(resource: { readonly id: string; readonly rev?: number }, path: string): Answer {
  const etag = resource.rev === undefined ? {} : { etag: `"${resource.rev}"` }
  return { ...json(201, resource), headers: { location: path, ...etag } }
}

/** The header of such an answer, for the API description. */
export const LOCATION = { location: 'path of what was made' } as const
