import type { DraftRuleset } from '@engine/authoring'
import { useCallback } from 'react'
import { type OpenGraph, openGraph, stepAt } from '../../session/open-graph.ts'
import type { Session } from '../../session/session.ts'
import type { EditorState } from './editor-context.ts'
import type { EditorSearch, View } from './search.ts'

/** Changes the URL; a selection replaces the history entry, another view adds one. */
export type GoTo = (search: EditorSearch, isNew: boolean) => void

interface Navigation extends Pick<EditorState, 'view' | 'select' | 'selectPath' | 'place'> {
  readonly go: GoTo
}

interface NavigationParts {
  readonly search: EditorSearch
  readonly go: GoTo
  readonly graph: OpenGraph
  readonly session: Session<DraftRuleset>
}

/** The URL state of an editor: its view, its open graph and its selected step. */
export function useNavigation({ search, go: goTo, graph, session }: NavigationParts): Navigation {
  const { within } = graph
  const view: View = search.view ?? 'flow'
  const { run: linked } = search
  // The displayed execution belongs to this page and stays in the URL.
  const go = useCallback(
    (next: EditorSearch, isNew: boolean) => goTo(linked === undefined ? next : { ...next, run: linked }, isNew),
    [goTo, linked],
  )
  const place = useCallback(
    (next: Omit<EditorSearch, 'in'>, isNew: boolean) =>
      go({ ...next, ...(within !== undefined && { in: within }) }, isNew),
    [go, within],
  )
  const select = useCallback(
    (step: string) => place({ view: view === 'table' ? 'table' : 'flow', step }, false),
    [place, view],
  )
  const selectPath = useCallback(
    (path: string) => {
      const at = stepAt(session.doc, path)
      if (at === undefined) return
      const isTable =
        view === 'table' &&
        openGraph(session.doc, at.within, {}).draft.steps.some(({ id, type }) => id === at.id && type === 'table')
      go({ view: isTable ? 'table' : 'flow', step: at.id, ...(at.within !== undefined && { in: at.within }) }, false)
    },
    [session, go, view],
  )
  return { view, go, place, select, selectPath }
}
