import { useGet } from '../api/data.ts'
import { useIds } from './route-scope.ts'

/**
 * The name of a person of the organization; the id of a former member, of a key, or without the right to read members.
 */
export function Author({ id }: { readonly id: string }) {
  const { oid } = useIds()
  const members = useGet('/api/v1/orgs/{oid}/members', { path: { oid }, query: { limit: 200 } }).data?.items
  const found = members?.find((member) => member.user_id === id)
  return found === undefined ? id : found.display_name === '' ? found.email : found.display_name
}
