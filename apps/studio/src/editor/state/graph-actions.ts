import { copySteps, duplicateSteps, type DraftRuleset, type DraftStep, type Exit } from '@engine/authoring'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { ask } from '../../language/language.ts'
import type { Surroundings } from '../../language/tasks.ts'
import { type OpenGraph, openGraph, putBack } from '../../session/open-graph.ts'
import type { Session } from '../../session/session.ts'
import { useTexts } from '../../texts/texts.tsx'
import type { Apply } from './editing.ts'
import { withInserted, withNewStep, withoutSteps, withShifted } from './edits.ts'

interface GraphPlace {
  readonly session: Session<DraftRuleset>
  readonly graph: OpenGraph
  readonly surroundings: Surroundings
  readonly mayEdit: boolean
  /** Selects a step of the open graph. */
  readonly show: (step: string) => void
}

/** All changes of the open graph. The reason for a rejected change is kept until the next attempt. */
export function useGraphActions({ session, graph, surroundings, mayEdit, show }: GraphPlace) {
  const { editor, graph: words } = useTexts()
  const { within, isOwn } = graph
  const [all, mark] = useState<ReadonlySet<string>>(NONE)
  const [refusal, refuse] = useState<string>()
  useEffect(() => {
    mark(NONE)
    refuse(undefined)
  }, [within])
  // An undo may have removed selected steps.
  const { steps } = graph.draft
  const marked = useMemo(() => {
    const known = all.intersection(new Set(steps.map(({ id }) => id)))
    return known.size === all.size ? all : known
  }, [all, steps])
  const canEdit = mayEdit && isOwn
  const apply = useMemo<Apply | undefined>(
    () =>
      canEdit
        ? (label, change, key) => session.apply(label, (old) => putBack(old, within, change(viewOf(old, within))), key)
        : undefined,
    [session, within, canEdit],
  )
  /** Applies a result of the worker if the draft has not changed in the meantime. */
  const take = useCallback(
    (label: string, before: DraftRuleset, after: DraftRuleset) =>
      session.apply(label, (now) => (now === before ? after : now)),
    [session],
  )
  const make = (
    label: string,
    change: (old: DraftRuleset) => { readonly draft: DraftRuleset; readonly id: string },
  ) => {
    const made = change(viewOf(session.doc, within))
    apply?.(label, () => made.draft)
    show(made.id)
  }
  const copies = (label: string, draft: DraftRuleset, ids: readonly string[]) => {
    const fresh = new Set(ids)
    apply?.(label, () => withShifted(draft, fresh))
    mark(fresh)
    if (ids[0] !== undefined) show(ids[0])
  }
  return {
    apply,
    marked,
    mark,
    refusal,
    dismiss: () => refuse(undefined),
    add: (type: DraftStep['type']) => make(editor.addStep, (old) => withNewStep(old, type, editor.newStep)),
    insert: (from: string, exit: Exit, type: DraftStep['type'] = 'decision') =>
      make(editor.insertHere, (old) => withInserted(old, from, exit, type, editor.newStep)),
    remove: (ids: readonly string[]) => {
      apply?.(editor.removeStep, (old) => withoutSteps(old, ids))
      mark(NONE)
    },
    copy: (ids: readonly string[]) => copySteps(session.doc, ids, within),
    duplicate(ids: readonly string[]) {
      const made = duplicateSteps(viewOf(session.doc, within), ids)
      copies(words.duplicate, made.graph, [...made.ids.values()])
    },
    async paste(text: string) {
      const before = session.doc
      const made = await ask('paste', { draft: before, text, within })
      refuse(made.kind === 'refused' ? words.notPasted(made.message) : undefined)
      if (made.kind === 'edited' && session.doc === before)
        copies(words.paste(made.ids.length), viewOf(made.draft, within), made.ids)
    },
    /** Rejects with the reason why no sub-rule can be extracted. */
    async extract(name: string) {
      const before = session.doc
      const made = await ask('extract', { draft: before, steps: [...marked], name, within })
      if (made.kind === 'refused') throw new Error(made.message)
      take(words.extract, before, made.draft)
      mark(NONE)
      show(made.stepId)
    },
    async inline(step: string) {
      const before = session.doc
      const made = await ask('inline', { draft: before, ...surroundings, step, within })
      refuse(made.kind === 'refused' ? made.message : undefined)
      if (made.kind === 'edited') take(words.inline, before, made.draft)
    },
  }
}

const NONE: ReadonlySet<string> = new Set()

const viewOf = (draft: DraftRuleset, within: string | undefined) => openGraph(draft, within, {}).draft
