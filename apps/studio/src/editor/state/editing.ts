import { type DraftRuleset, type IntendedFinding, type MergeConflict, withoutAcknowledgements } from '@engine/authoring'
import { isObject, type Value } from '@engine/expression'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useState } from 'react'
import { rulesetOf } from '../../api/draft-ruleset.ts'
import { call } from '../../api/client.ts'
import { keyOf } from '../../api/data.ts'
import { errorOf, ApiError } from '../../api/errors.ts'
import type { components } from '../../api/schema.ts'
import { useIds } from '../../frame/route-scope.ts'
import { ask } from '../../language/language.ts'
import { dropWork, keepWork, type LocalWork, readWork } from '../../session/local-work.ts'
import { type Base, restoreWork, saveSession } from '../../session/saving.ts'
import { Session, useSession } from '../../session/session.ts'

const RULESET = '/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}'
/** Delay before the browser stores a change. */
const STORE_DELAY_MS = 400

type Draft = components['schemas']['Draft']

/** Valid, since the platform decodes a draft before it stores it. */

/** The merge of my changes with those that another author saved first. */
export interface Clash {
  readonly merged: DraftRuleset
  readonly conflicts: readonly MergeConflict[]
  readonly theirs: DraftRuleset
  readonly seq: number
  readonly by: string
  readonly at: string
}

/** Changes the draft as one undo entry; consecutive changes with one key merge while the user types. */
export type Apply = (label: string, change: (draft: DraftRuleset) => DraftRuleset, key?: string) => void

export interface Editing {
  readonly session: Session<DraftRuleset>
  readonly seq: number
  readonly state: 'saved' | 'changed' | 'saving'
  readonly error: Error | undefined
  /** The intended findings of the last save, with author and time, which the draft of the session omits. */
  readonly acknowledged: readonly IntendedFinding[]
  readonly clash: Clash | undefined
  /** Unsaved work of an earlier visit. */
  readonly left: LocalWork | undefined
  save(): Promise<void>
  /** Continue with the author's resolution of a conflict, based on the other save. */
  settle(draft: DraftRuleset): void
  /** Resolve a conflict later: the draft stays changed and unsaved. */
  postpone(): void
  restore(): void
  discard(): void
}

/** An editing session of a stored draft: its history, its saves, and conflicts with saves of other authors. */
export function useEditing(draft: Draft, words: { readonly merge: string; readonly restore: string }): Editing {
  const ids = useIds()
  const { name } = draft
  const client = useQueryClient()
  const [session] = useState(() => new Session(writtenIn(draft)))
  const [base, setBase] = useState<Base>(() => ({ seq: draft.seq, doc: writtenIn(draft) }))
  const [acknowledged, setAcknowledged] = useState(() => rulesetOf(draft).config.intended ?? [])
  const [isSaving, setSaving] = useState(false)
  const [error, setError] = useState<Error>()
  const [clash, setClash] = useState<Clash>()
  const [left, setLeft] = useState<LocalWork>()
  const isChanged = useSession(session, isChangedOf)
  useLocalWork(session, base, ids.pid, name, setLeft)
  const save = useCallback(async () => {
    const doc = session.doc
    setSaving(true)
    setError(undefined)
    try {
      const store = async (ruleset: DraftRuleset, expected_seq: number) => {
        const body = { ruleset: { ...ruleset }, expected_seq }
        const { seq, intended = [] } = await call('post', RULESET, { path: { ...ids, name }, body })
        setAcknowledged(intended)
        return seq
      }
      setBase(await saveSession(session, base, store))
      await dropWork(ids.pid, name)
      void client.invalidateQueries({ queryKey: keyOf('/api/v1/orgs/{oid}/projects/{pid}/rulesets') })
      void client.invalidateQueries({ queryKey: keyOf(`${RULESET}/saves`) })
      void client.invalidateQueries({ queryKey: keyOf(RULESET), refetchType: 'none' })
    } catch (thrown) {
      const theirs = thrown instanceof ApiError && thrown.status === 409 ? draftIn(thrown.current) : undefined
      if (theirs === undefined) setError(errorOf(thrown))
      else setClash(await clashOf(base.doc, doc, theirs))
    } finally {
      setSaving(false)
    }
  }, [session, ids, name, base, client])
  const settle = (settled: DraftRuleset) => {
    if (clash === undefined) return
    setBase({ seq: clash.seq, doc: clash.theirs })
    session.apply(words.merge, () => settled)
    setClash(undefined)
  }
  const postpone = () => setClash(undefined)
  const restore = () => {
    if (left === undefined) return
    setBase(restoreWork(session, left, words.restore))
    setLeft(undefined)
  }
  const discard = () => {
    void dropWork(ids.pid, name)
    setLeft(undefined)
  }
  const state = isSaving ? 'saving' : isChanged ? 'changed' : 'saved'
  return { session, seq: base.seq, state, error, acknowledged, clash, left, save, settle, postpone, restore, discard }
}

/**
 * The draft without the author and time of acknowledged findings, which the platform adds: edits and merges compare
 * only what authors write.
 */
const writtenIn = (draft: Draft): DraftRuleset => withoutAcknowledgements(rulesetOf(draft))

const isChangedOf = ({ isChanged }: Session<DraftRuleset>) => isChanged

/** Store each change in the browser, offer unsaved work of an earlier visit, and confirm before the window closes. */
function useLocalWork(
  session: Session<DraftRuleset>,
  base: Base,
  project: string,
  name: string,
  offer: (work: LocalWork | undefined) => void,
): void {
  useEffect(() => {
    void readWork(project, name).then((work) => work !== undefined && offer(work))
  }, [project, name, offer])
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let isKept = false
    const keepNow = () => {
      if (timer === undefined) return
      clearTimeout(timer)
      timer = undefined
      // Undone changes are not offered again; unsaved work of an earlier visit stays.
      if (session.isChanged)
        void keepWork(project, name, { seq: base.seq, base: base.doc, draft: session.doc, at: Date.now() })
      else if (isKept) void dropWork(project, name)
      isKept = session.isChanged
    }
    // Counted from the first change, not the last: long typing would otherwise never be stored.
    const keep = () => void (timer ??= setTimeout(keepNow, STORE_DELAY_MS))
    const onLeave = (event: BeforeUnloadEvent) => session.isChanged && event.preventDefault()
    // Changes made during the save have another base.
    if (session.isChanged) keep()
    const stop = session.subscribe(keep)
    addEventListener('beforeunload', onLeave)
    addEventListener('pagehide', keepNow)
    return () => {
      stop()
      keepNow()
      removeEventListener('beforeunload', onLeave)
      removeEventListener('pagehide', keepNow)
    }
  }, [session, base, project, name])
}

function draftIn(current: Value | undefined): Draft | undefined {
  return current !== undefined && isObject(current) && isObject(current['ruleset'] ?? null)
    ? (current as unknown as Draft)
    : undefined
}

async function clashOf(base: DraftRuleset, mine: DraftRuleset, draft: Draft): Promise<Clash> {
  const theirs = writtenIn(draft)
  const { draft: merged, conflicts } = await ask('merge', { base, mine, theirs })
  return { merged, conflicts, theirs, seq: draft.seq, by: draft.updated_by, at: draft.updated_at }
}
