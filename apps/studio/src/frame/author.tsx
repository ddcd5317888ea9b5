import { useGet } from '../api/data.ts'
import { useTexts } from '../texts/texts.tsx'
import { useIds, useMay } from './route-scope.ts'

/** The author of changes that the platform makes itself, such as the rollback of a failed canary. */
const PLATFORM = 'system'

/** The name of a member or a key; for others, and for keys that the user may not read, a generic name. */
export function useAuthorName(id: string): string {
  const { common } = useTexts()
  const { oid } = useIds()
  const mayReadKeys = useMay('token.manage')
  const query = { limit: 200 }
  const members = useGet('/api/v1/orgs/{oid}/members', { path: { oid }, query }).data?.items
  const member = members?.find(({ user_id: user }) => user === id)
  const isPlatform = id === PLATFORM
  const isOther = !isPlatform && members !== undefined && member === undefined
  const keys = useGet('/api/v1/orgs/{oid}/api-keys', { path: { oid }, query }, { enabled: isOther && mayReadKeys }).data
  if (isPlatform) return common.platform
  if (member !== undefined) return member.display_name === '' ? member.email : member.display_name
  return isOther ? (keys?.items.find((key) => key.id === id)?.name ?? common.someone) : '…'
}

/** The names of the actors of events; those of people contain their email address. */
export function useActorName(): (actor: { readonly id: string; readonly name: string }) => string {
  const { oid } = useIds()
  const members = useGet('/api/v1/orgs/{oid}/members', { path: { oid }, query: { limit: 200 } }).data?.items
  return ({ id, name }) => members?.find(({ user_id: user }) => user === id)?.display_name || name
}

/** The name of a person or a key. */
export function Author({ id }: { readonly id: string }) {
  return useAuthorName(id)
}
