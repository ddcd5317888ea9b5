import { useGet } from '../api/data.ts'
import { useIds } from './place.ts'

/** The name of a person of the organization; the id of one who has left, of a key, or where members may not be read. */
export function Author({ id }: { readonly id: string }) {
  const { oid } = useIds()
  const members = useGet('/api/v1/orgs/{oid}/members', { path: { oid }, query: { limit: 200 } }).data?.items
  const found = members?.find((member) => member.user_id === id)
  return found === undefined ? id : found.display_name === '' ? found.email : found.display_name
}
