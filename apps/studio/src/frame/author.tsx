import { useGet } from '../api/data.ts'
import { useTexts } from '../texts/texts.tsx'
import { useIds, useMay } from './route-scope.ts'

/** The author of changes by the platform itself, such as the rollback of a failed canary. */
const PLATFORM = 'system'

/** The name of a person of the organization, or of a key; of others, and without the right to read keys, that it is someone else. */
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

/** The names of the actors of events, which have the e-mail address of a person. */
export function useActorName(): (actor: { readonly id: string; readonly name: string }) => string {
  const { oid } = useIds()
  const members = useGet('/api/v1/orgs/{oid}/members', { path: { oid }, query: { limit: 200 } }).data?.items
  return ({ id, name }) => members?.find(({ user_id: user }) => user === id)?.display_name || name
}

/** A person or a key by name. */
export function Author({ id }: { readonly id: string }) {
  return useAuthorName(id)
}
