import { createContext, useContext } from 'react'
import { type ListOf, useList, useSend } from '../api/data.ts'
import type { components } from '../api/schema.ts'
import type { CommentActions } from '../comments/comment-item.tsx'

export type ReleaseComment = components['schemas']['ReleaseComment']

/** Target of a comment: null and an empty path stand for the whole release. */
export interface CommentTarget {
  readonly ruleset: string | null
  readonly place: string
}

const COMMENTS = '/api/v1/orgs/{oid}/projects/{pid}/releases/{rid}/comments'
const COMMENT = `${COMMENTS}/{cid}` as const

interface ReleasePath {
  readonly oid: string
  readonly pid: string
  readonly rid: string
}

/** The comments on a release, the newest first, and the operations on them. */
export interface ReleaseComments extends CommentActions {
  readonly list: ListOf<ReleaseComment>
  readonly add: (text: string, target: CommentTarget) => Promise<unknown>
  /** The error of the last change. */
  readonly error: Error | null
}

/** Loads the comments on a release. */
export function useReleaseComments(path: ReleasePath): ReleaseComments {
  const list = useList(COMMENTS, { path })
  const add = useSend('post', COMMENTS, [COMMENTS])
  const change = useSend('put', COMMENT, [COMMENTS])
  const remove = useSend('delete', COMMENT, [COMMENTS])
  return {
    list,
    add: (text: string, { ruleset, place }: CommentTarget) =>
      add.mutateAsync({ path, body: { text, ...(ruleset !== null && { ruleset, place }) } }),
    settle: ({ id, settled }) => change.mutate({ path: { ...path, cid: id }, body: { settled: !settled } }),
    remove: ({ id }) => remove.mutate({ path: { ...path, cid: id } }),
    error: change.error ?? remove.error,
  }
}

const Context = createContext<ReleaseComments | undefined>(undefined)

/** Passes the comments of a release to its parts. */
export const CommentsProvider = Context

/** The comments of the release on the page; undefined in a preview. */
export const useComments = (): ReleaseComments | undefined => useContext(Context)

/** The comments on exactly this target. */
export const commentsAt = (
  { list: { items = [] } }: ReleaseComments,
  { ruleset, place }: CommentTarget,
): readonly ReleaseComment[] => items.filter((one) => one.ruleset === ruleset && one.place === place)
