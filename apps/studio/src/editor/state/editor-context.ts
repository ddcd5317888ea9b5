import type { CaseStubs } from '@engine/analysis'
import type { DraftRuleset, DraftStep, TableStep } from '@engine/authoring'
import { createContext, useContext } from 'react'
import type { Known } from '../../expression-editor/complete.ts'
import type { Surroundings } from '../../language/tasks.ts'
import type { OpenGraph } from '../../session/open-graph.ts'
import type { SavedTest } from '../../saved-tests/saved-test.ts'
import type { Session } from '../../session/session.ts'
import type { Checks } from './checks.ts'
import type { Editing } from './editing.ts'
import type { FindingsState } from './findings.ts'
import type { useGraphActions } from './graph-actions.ts'
import type { useOverlays } from './overlays.ts'
import type { EditorSearch, View } from './search.ts'
import type { Simulation } from './simulation.ts'

/** The state of an open ruleset, shared by the parts of its editor. */
export interface EditorState {
  /** Name of the ruleset. */
  readonly name: string
  readonly view: View
  /** The whole draft. */
  readonly draft: DraftRuleset
  readonly graph: OpenGraph
  /** The open graph on the canvas, which may lag behind while the user types. */
  readonly deferred: DraftRuleset
  readonly selected: DraftStep | undefined
  readonly table: TableStep | undefined
  /** Id of the row in the URL. */
  readonly row: string | undefined
  readonly overlays: ReturnType<typeof useOverlays>
  readonly present: ReadonlyMap<string, string>
  readonly checks: Checks
  readonly findings: FindingsState
  readonly editing: Pick<Editing, 'acknowledged' | 'seq' | 'state'>
  readonly simulation: Simulation
  readonly surroundings: Surroundings
  /** The saved cases of the ruleset. */
  readonly cases: readonly SavedTest[]
  readonly known: Known
  /** Names of the sub-rules that a step can use. */
  readonly subRules: readonly string[]
  readonly actions: ReturnType<typeof useGraphActions>
  /** Undefined for a user who may only read. */
  readonly session: Session<DraftRuleset> | undefined
  readonly undo: () => void
  readonly redo: () => void
  /** Select a step of the open graph. */
  readonly select: (id: string) => void
  /** Select the step at a path of the draft, in any graph. */
  readonly selectPath: (path: string) => void
  /** Navigate within the open graph. */
  readonly place: (search: Omit<EditorSearch, 'in'>, isNew: boolean) => void
  readonly openSubRule: (name: string) => void
  readonly execute: (input?: string, stubs?: CaseStubs) => void
  /** Execute an input, and offer to save it as a test. */
  readonly saveAsTest: (input: string, stubs: CaseStubs) => void
  readonly side: SideTab
  readonly showSide: (tab: SideTab) => void
  readonly showFindings: () => void
  readonly ask: (dialog: EditorDialog) => void
}

/** The dialogs that a part of the editor can open; `from` is the step whose exit will be connected. */
export type EditorDialog = 'case' | 'extract' | { readonly from: string }

export type PanelTab = 'simulate' | 'tests'

/** The tabs next to the rules. */
export type SideTab = 'step' | 'findings' | 'ruleset' | 'comments' | 'history'

const Context = createContext<EditorState | undefined>(undefined)

/** Provides the state to the parts of an editor. */
export const EditorContext = Context.Provider

/** The state of the enclosing editor. Throws outside an editor. */
export function useEditor(): EditorState {
  const state = useContext(Context)
  if (state === undefined) throw new Error('a part of the editor outside of an editor')
  return state
}
