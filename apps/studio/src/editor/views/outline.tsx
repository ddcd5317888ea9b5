import type { DraftRuleset, DraftStep } from '@engine/authoring'
import { type KeyboardEvent, memo, type ReactNode, useMemo, useRef } from 'react'
import { codeColours } from '../../graph-editor/code-colours.ts'
import { StepMenu } from '../../graph-editor/step-menu.tsx'
import { stepName } from '../../graph-editor/step-name.ts'
import type { Visit } from '../../graph-editor/trace.ts'
import { useTexts } from '../../texts/texts.tsx'
import { initials } from '../../ui/initials.ts'
import { Icon } from '../../ui/icon.tsx'
import { outlineSteps } from './outline-order.ts'
import { ROW_HEIGHT, useRowsInView } from './outline-rows.ts'

interface OutlineProps {
  readonly draft: DraftRuleset
  readonly selected: string | undefined
  readonly visits: ReadonlyMap<string, Visit> | undefined
  readonly problems: ReadonlyMap<string, number>
  /** Names of other users at a step. */
  readonly present: ReadonlyMap<string, string>
  readonly select: (id: string) => void
  /** Focus the fields of a step. */
  readonly open: (id: string) => void
  /** Undefined: read-only. */
  readonly add: ((type: DraftStep['type']) => void) | undefined
  /** Result codes of the contract, in its order. */
  readonly codes: readonly string[] | undefined
  /** Rendered below the steps. */
  readonly children?: ReactNode
}

const rowId = (id: string) => `outline-${id}`

/** All steps as a list: it makes the graph accessible to screen readers, and steps findable by name. */
export function Outline(props: OutlineProps) {
  const { draft, selected, visits, problems, present, select, open, add, codes, children } = props
  const { editor } = useTexts()
  const ordered = useMemo(() => outlineSteps(draft), [draft])
  const steps = useMemo(() => ordered.map(({ step }) => step), [ordered])
  const colours = useMemo(() => codeColours(draft.steps, codes), [draft.steps, codes])
  const list = useRef<HTMLDivElement>(null)
  const at = steps.findIndex(({ id }) => id === selected)
  const rows = useRowsInView(list, steps.length, at)
  const typed = useTyped()
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && selected !== undefined) {
      event.preventDefault()
      open(selected)
      return
    }
    const moves = { ArrowDown: steps[at + 1], ArrowUp: steps[at - 1], Home: steps[0], End: steps.at(-1) }
    const to = isLetter(event) ? startingWith(steps, at, typed(event.key, event.timeStamp)) : moves[event.key as 'Home']
    if (to === undefined) return
    event.preventDefault()
    select(to.id)
    requestAnimationFrame(() => document.getElementById(rowId(to.id))?.focus())
  }
  return (
    <div className="outline">
      <div className="row">
        <h2>{editor.steps(steps.length)}</h2>
        <span className="grow" />
        {add !== undefined && <StepMenu label={editor.addStep} add={add} />}
      </div>
      <div
        ref={list}
        role="tree"
        aria-label={editor.stepsInOrder}
        onKeyDown={onKey}
        style={rows.isPart ? { height: steps.length * ROW_HEIGHT } : undefined}
      >
        {rows.shown.map((index) => {
          const { step, isResult = false } = ordered[index] ?? {}
          if (step === undefined) return null
          return (
            <OutlineRow
              key={step.id}
              step={step}
              isResult={isResult}
              colour={step.type === 'terminal' ? colours.get(step.code ?? '') : undefined}
              top={rows.isPart ? index * ROW_HEIGHT : undefined}
              place={index + 1}
              count={steps.length}
              isSelected={step.id === selected}
              isStop={step.id === selected || (selected === undefined && index === 0)}
              order={visits?.get(step.id)?.order}
              problems={problems.get(step.id) ?? 0}
              present={present.get(step.id) ?? ''}
              select={select}
            />
          )
        })}
      </div>
      {children}
    </div>
  )
}

/** Pause after which typed letters start a new word. */
const WORD_TIMEOUT_MS = 700

/** Collects letters typed in sequence. */
function useTyped(): (key: string, at: number) => string {
  const word = useRef({ text: '', at: 0 })
  return (key, at) => {
    const { text, at: before } = word.current
    word.current = { text: (at - before < WORD_TIMEOUT_MS ? text : '') + key.toLowerCase(), at }
    return word.current.text
  }
}

const isLetter = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent) =>
  key.length === 1 && key !== ' ' && !ctrlKey && !metaKey && !altKey

/** The next step whose name starts with the word; a repeated letter moves to the one after. */
function startingWith(steps: readonly DraftStep[], at: number, word: string): DraftStep | undefined {
  const isSameAgain = word.length > 1 && Array.from(word).every((letter) => letter === word[0])
  const wanted = isSameAgain ? word.slice(0, 1) : word
  const from = wanted.length === 1 ? at + 1 : Math.max(0, at)
  return [...steps.slice(from), ...steps.slice(0, from)].find((step) => stepName(step).toLowerCase().startsWith(wanted))
}

interface OutlineRowProps {
  readonly step: DraftStep
  /** True for a result below the step that leads to it. */
  readonly isResult: boolean
  /** The custom property of its result code. */
  readonly colour: string | undefined
  /** Offset in pixels from the top of the list; undefined for normal flow. */
  readonly top: number | undefined
  readonly place: number
  readonly count: number
  readonly isSelected: boolean
  /** True for the only tab stop of the list. */
  readonly isStop: boolean
  /** Position in the execution path; undefined if not visited. */
  readonly order: number | undefined
  readonly problems: number
  readonly present: string
  readonly select: (id: string) => void
}

/** One step, memoized: in a list of a thousand only changed ones render again. */
const OutlineRow = memo(function OutlineRow(props: OutlineRowProps) {
  const { editor, canvas } = useTexts()
  const { top, place, count, isSelected, isStop, order, problems, present, select, isResult, colour } = props
  const { step } = props
  const { id, type } = step
  return (
    <div
      id={rowId(id)}
      role="treeitem"
      aria-selected={isSelected}
      aria-level={isResult ? 2 : 1}
      aria-posinset={place}
      aria-setsize={count}
      data-placed={top === undefined ? undefined : ''}
      style={{ top }}
      tabIndex={isStop ? 0 : -1}
      onClick={() => select(id)}
    >
      {colour === undefined ? (
        <span style={{ color: `var(--k-${type})` }}>
          <Icon name={type} size={13} />
        </span>
      ) : (
        <span className="code-mark" style={{ '--c': `var(${colour})` }} />
      )}
      <span className="vh">{canvas.kinds[type]}</span>
      <span className="words">{stepName(step)}</span>
      {present !== '' && (
        <span className="tag" data-tone="accent" title={canvas.presentHere(present)}>
          {initials(present)}
          <span className="vh">{canvas.presentHere(present)}</span>
        </span>
      )}
      {problems > 0 && (
        <span className="tag" data-tone="bad">
          {problems}
          <span className="vh">{editor.problemsWord}</span>
        </span>
      )}
      {order !== undefined && (
        <span className="tag" data-tone="ok">
          {order}
        </span>
      )}
    </div>
  )
})
