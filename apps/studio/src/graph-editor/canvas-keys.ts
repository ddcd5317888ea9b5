import type { DraftRuleset } from '@engine/authoring'
import type { useReactFlow } from '@xyflow/react'
import type { ClipboardEvent, KeyboardEvent } from 'react'
import { fitAll } from './canvas-view.ts'
import type { Shown } from './canvas-parts.ts'
import { neighbour } from './neighbour.ts'
import type { Point } from './layout.ts'
import type { StepNodeType } from './node.tsx'

/** Actions of shortcuts and of the bar for selected steps. Editing actions are not called in read-only mode. */
export interface CanvasActions {
  readonly isReadOnly: boolean
  readonly mark: (ids: ReadonlySet<string>) => void
  readonly open: (id: string) => void
  readonly remove: (ids: readonly string[]) => void
  readonly insert: (id: string) => void
  /** Open the dialog that connects an exit of the step. */
  readonly askConnection: (id: string) => void
  readonly duplicate: (ids: readonly string[]) => void
  /** Reset all steps to automatic positions. */
  readonly tidy: () => void
  /** Change the name of a step, or the label of one of its branches. */
  readonly rename: (id: string, branch: string | undefined, text: string) => void
  /** Serialize steps as text. */
  readonly copy: (ids: readonly string[]) => string
  readonly paste: (text: string) => void
}

type Stage = React.RefObject<HTMLDivElement | null>

interface Place {
  readonly stage: Stage
  readonly flow: ReturnType<typeof useReactFlow>
  readonly nodes: readonly StepNodeType[]
  readonly places: ReadonlyMap<string, Point>
  readonly current: string
  readonly focus: (id: string) => void
  /** Edit name and labels of a step in place. */
  readonly editNames: (id: string) => void
}

/**
 * The selected steps if there are several, otherwise the current one: shortcuts then apply to the step that the
 * keyboard has reached, not to the one last clicked.
 */
const meant = (marked: ReadonlySet<string>, current: string): readonly string[] =>
  marked.size > 1 ? [...marked] : current === '' ? [] : [current]

/** Shortcuts apply to steps and to the canvas itself, not to overlays. */
function isOnCanvas(target: EventTarget, stage: Stage): boolean {
  return target === stage.current || (target instanceof Element && target.classList.contains('nd'))
}

/** The keyboard shortcuts of the canvas. */
export function useCanvasKeys(props: Shown & CanvasActions, place: Place): (event: KeyboardEvent) => void {
  const { draft, visits } = props
  const { stage, places, current, focus } = place
  return (event) => {
    if (!isOnCanvas(event.target, stage)) return
    const isCommand = event.ctrlKey || event.metaKey
    const to = isCommand ? undefined : neighbour(event.key, draft, current, visits, places)
    const name = isCommand ? `Mod-${event.key.toLowerCase()}` : event.key
    const act = to === undefined ? actionsOf(props, place)[name] : () => focus(to)
    if (act === undefined) return
    event.preventDefault()
    act()
  }
}

function actionsOf(
  props: Shown & CanvasActions,
  { flow, nodes, current, editNames }: Place,
): Readonly<Record<string, () => unknown>> {
  const { draft, marked, mark, open, isReadOnly, remove, duplicate, insert, askConnection, tidy } = props
  const removeMeant = () => remove(meant(marked, current))
  return {
    Enter: () => open(current),
    ' ': () => mark(marked.symmetricDifference(new Set([current]))),
    Escape: () => mark(new Set()),
    'Mod-a': () => mark(idsOf(draft)),
    '0': () => fitAll(flow, nodes),
    '1': () => flow.zoomTo(1),
    '+': () => flow.zoomIn(),
    '-': () => flow.zoomOut(),
    ...(!isReadOnly && {
      Delete: removeMeant,
      Backspace: removeMeant,
      n: () => insert(current),
      l: tidy,
      F2: () => editNames(current),
      c: () => askConnection(current),
      'Mod-d': () => duplicate(meant(marked, current)),
    }),
  }
}

const idsOf = ({ steps }: DraftRuleset): ReadonlySet<string> => new Set(steps.map(({ id }) => id))

/** Copies steps through the clipboard as text, also into other tabs, rulesets and files. */
export function useCanvasClipboard(
  { marked, copy, paste, remove, isReadOnly }: Shown & CanvasActions,
  stage: Stage,
  current: string,
) {
  const onCopy = (event: ClipboardEvent) => {
    const ids = meant(marked, current)
    if (!isOnCanvas(event.target, stage) || ids.length === 0) return
    event.preventDefault()
    event.clipboardData.setData('text/plain', copy(ids))
    if (event.type === 'cut' && !isReadOnly) remove(ids)
  }
  const onPaste = (event: ClipboardEvent) => {
    if (!isOnCanvas(event.target, stage) || isReadOnly) return
    event.preventDefault()
    paste(event.clipboardData.getData('text/plain'))
  }
  return { onCopy, onCut: onCopy, onPaste }
}
