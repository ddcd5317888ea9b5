import { type DraftStep, literalOf } from '@engine/authoring'
import { Handle, type Node, type NodeProps, Position } from '@xyflow/react'
import { createContext, memo, useContext, useEffect, useRef } from 'react'
import { ConditionText } from '../conditions/words.tsx'
import { useTexts } from '../texts/texts.tsx'
import { Expression } from '../ui/expression.tsx'
import { Icon } from '../ui/icon.tsx'
import { initials } from '../ui/initials.ts'
import { useNotation } from '../ui/notation.ts'
import type { StepHits } from './coverage.ts'
import type { Direction } from './direction.ts'
import { nodeElementId } from './element-id.ts'
import { focusWhenDrawn } from './focus-step.ts'
import { ENTRY, linesOf, MAX_LINES, type Port, shapeOf, sizeOf } from './shape.ts'
import type { Visit } from './trace.ts'

/** The difference between a step and the same step of another save. */
export type StepChange = 'added' | 'removed' | 'changed'

/** A branch that leads to a result. */
export interface Reference {
  /** Id of the handle. */
  readonly port: string
  readonly target: string
  readonly code: string
  /** Name of a custom property. */
  readonly colour: string
  /** True if the result is placed at this branch; otherwise the branch only names it. */
  readonly isHere: boolean
}

/** Edits names in place. */
interface Naming {
  readonly rename: (id: string, branch: string | undefined, text: string) => void
  /** Undefined: read-only. */
  readonly begin: ((id: string) => void) | undefined
  readonly end: (id: string) => void
}

const NOTHING_NAMED: Naming = { rename: () => undefined, begin: undefined, end: () => undefined }

export const NamingContext = createContext<Naming>(NOTHING_NAMED)

/** The data of a node of the canvas. */
export interface StepData extends Record<string, unknown> {
  readonly step: DraftStep
  readonly visit: Visit | undefined
  /** True while an execution is shown: steps off its path are dimmed. */
  readonly isTraced: boolean
  readonly isSelected: boolean
  /** True for the only tab stop of the canvas. */
  readonly isCurrent: boolean
  readonly isEntry: boolean
  /** True while its name and the labels of its branches are edited in place. */
  readonly isNaming: boolean
  readonly problems: number
  /** Coverage of the saved cases; undefined if hidden. */
  readonly hits: StepHits | undefined
  /** Names of other users at this step. */
  readonly present: string
  /** Used by two graphs side by side; undefined if the step is the same in both. */
  readonly change: StepChange | undefined
  /** Branches that lead to results. */
  readonly references: readonly Reference[]
  /** The colour of the result code, as a custom property. */
  readonly colour: string
  readonly direction: Direction
  /** Prefix of its element ids. */
  readonly scope: string
  readonly place: readonly [number: number, of: number]
}

export type StepNodeType = Node<StepData, 'step'>

/** A step with its kind, name, conditions and values, and a handle at each exit; or a result with its code. */
export const StepNode = memo(function StepNode({ id, data }: NodeProps<StepNodeType>) {
  const { canvas } = useTexts()
  const { step, visit, isTraced, isSelected, isCurrent, problems, change, scope, place, direction, colour } = data
  const element = useRef<HTMLDivElement>(null)
  const elementId = nodeElementId(id, scope)
  useEffect(() => focusWhenDrawn(elementId, element.current), [elementId])
  const name = step.type === 'terminal' ? (step.code ?? '') : (step.name ?? step.id)
  const spoken = canvas.spoken(canvas.kinds[step.type], name, place[0], place[1], visit?.order, problems)
  const isResult = step.type === 'terminal'
  return (
    <div
      ref={element}
      id={elementId}
      className="nd"
      role="group"
      aria-roledescription={canvas.step}
      aria-label={spoken}
      tabIndex={isCurrent ? 0 : -1}
      data-result={isResult ? direction : undefined}
      data-selected={isSelected ? '' : undefined}
      data-change={change}
      data-trace={isTraced ? (visit === undefined ? 'off' : 'on') : undefined}
      style={{ ...sizeOf(step, direction), ...(isResult && { '--c': `var(${colour})` }) }}
    >
      <Handle
        className="in"
        type="target"
        position={Position.Left}
        style={{ top: isResult ? sizeOf(step, direction).height / 2 : ENTRY }}
      />
      {visit !== undefined && !isResult && <span className="order">{visit.order}</span>}
      {step.type === 'terminal' ? (
        <Result data={data} code={step.code} message={step.message} />
      ) : (
        <Step id={id} data={data} />
      )}
    </div>
  )
})

/** The code of a result, and its message if there is room. */
function Result({
  data: { direction, problems, hits, change },
  code,
  message,
}: {
  readonly data: StepData
  readonly code: string | undefined
  readonly message: string | undefined
}) {
  return (
    <>
      <span className="result-code">
        <span className="code-tag">{code}</span>
        {problems > 0 && <Icon name="alert" size={12} />}
      </span>
      {direction === 'down' && message !== undefined && message !== '' && (
        <span className="message">
          <ResultMessage text={message} />
        </span>
      )}
      {hits !== undefined && <Hits count={hits.count} />}
      {change !== undefined && <Changed change={change} />}
    </>
  )
}

/** A literal message as text, otherwise its expression. */
function ResultMessage({ text }: { readonly text: string }) {
  const value = useNotation() === 'words' ? literalOf(text) : undefined
  if (typeof value === 'string') return value
  return (
    <span className="mono">
      <Expression text={text} />
    </span>
  )
}

function Changed({ change }: { readonly change: StepChange }) {
  const { canvas } = useTexts()
  return (
    <span className="tag" data-tone={TONES[change]}>
      {canvas.changes[change]}
    </span>
  )
}

function Step({ id, data }: { readonly id: string; readonly data: StepData }) {
  const { canvas } = useTexts()
  const { step, visit, isEntry, isNaming, problems, hits, present, change, references, direction } = data
  const naming = useContext(NamingContext)
  const name = step.name ?? step.id
  return (
    <>
      <header>
        <span className="kind" style={{ color: `var(--k-${step.type})` }}>
          <Icon name={step.type} size={13} />
        </span>
        {isNaming ? (
          <NameInput id={id} label={canvas.nameOf} value={step.name ?? ''} branch={undefined} isFirst />
        ) : (
          <span className="name" title={name}>
            {name}
          </span>
        )}
        {isEntry && <span className="tag">{canvas.start}</span>}
        {step.type === 'table' && <span className="tag tnum">{canvas.rows(step.rows.length)}</span>}
        {hits !== undefined && <Hits count={hits.count} />}
        {change !== undefined && <Changed change={change} />}
        {present !== '' && (
          <span className="tag" data-tone="accent" title={canvas.presentHere(present)}>
            <Icon name="user" size={12} />
            {initials(present)}
          </span>
        )}
        {problems > 0 && (
          <span className="problems">
            <Icon name="alert" size={13} />
            {problems}
          </span>
        )}
      </header>
      <Content
        step={step}
        taken={visit?.port}
        hits={hits}
        references={references}
        direction={direction}
        isNaming={isNaming}
        begin={naming.begin && (() => naming.begin?.(id))}
      />
      {shapeOf(step).ports.map((port) => (
        <Handle key={port.id} id={port.id} type="source" position={Position.Right} style={{ top: port.y }} />
      ))}
      {direction === 'down' &&
        references.map((one) => {
          const port = shapeOf(step).ports.find((at) => at.id === one.port)
          return one.isHere || port === undefined ? null : (
            <span key={one.port} className="reference" style={{ top: port.y - 13 }} aria-hidden="true">
              <ReferenceTag reference={one} />
            </span>
          )
        })}
    </>
  )
}

/** Names a result that is placed elsewhere. */
function ReferenceTag({ reference: { code, colour } }: { readonly reference: Reference }) {
  return (
    <span className="code-tag chip" style={{ '--c': `var(${colour})` }}>
      {code}
    </span>
  )
}

/** A name edited in place: Enter and blur commit the text, Escape reverts it. */
function NameInput({
  id,
  label,
  value,
  branch,
  isFirst = false,
}: {
  readonly id: string
  readonly label: string
  readonly value: string
  readonly branch: string | undefined
  readonly isFirst?: boolean
}) {
  const { rename, end } = useContext(NamingContext)
  const isDropped = useRef(false)
  return (
    <input
      className="name-input nodrag nopan"
      aria-label={label}
      defaultValue={value}
      autoFocus={isFirst}
      onFocus={({ target }) => target.select()}
      onBlur={({ target, relatedTarget }) => {
        const text = target.value.trim()
        if (!isDropped.current && text !== value) rename(id, branch, text)
        const isWithin = relatedTarget instanceof Element && relatedTarget.closest('.nd') === target.closest('.nd')
        if (!isWithin) end(id)
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== 'Escape') return
        event.stopPropagation()
        isDropped.current = event.key === 'Escape'
        event.currentTarget.blur()
      }}
    />
  )
}

const TONES = { added: 'ok', removed: 'bad', changed: 'warn' } as const

/** The number of saved cases that reached the step; zero is highlighted. */
function Hits({ count }: { readonly count: number }) {
  const { canvas } = useTexts()
  return (
    <span className="tag tnum hits" data-tone={count === 0 ? 'warn' : 'ok'} title={canvas.hits(count)}>
      {count}×<span className="vh">{canvas.hits(count)}</span>
    </span>
  )
}

interface ContentProps {
  readonly step: DraftStep
  readonly taken: string | undefined
  readonly hits: StepHits | undefined
  readonly references: readonly Reference[]
  readonly direction: Direction
  readonly isNaming: boolean
  readonly begin: (() => void) | undefined
}

function Content(props: ContentProps) {
  const { canvas } = useTexts()
  const { step, taken, hits, references, direction } = props
  switch (step.type) {
    case 'terminal':
      return null
    case 'sub_rule':
      return (
        <Lines {...props}>
          <div className="line">
            {canvas.fromSubRule} <b>{step.refName}</b>
          </div>
        </Lines>
      )
    case 'action':
      return (
        <Lines {...props}>
          {[
            ...step.assignments.map(({ name = '', value = '' }) => `$${name} = ${value}`),
            ...(step.externalCalls ?? []).map(({ target = '' }) => target),
          ]
            .slice(0, MAX_LINES)
            .map((text, index) => (
              <div key={index} className="line">
                <Expression text={text} />
              </div>
            ))}
        </Lines>
      )
    case 'decision':
    case 'table':
      return (
        <ol>
          {shapeOf(step).ports.map((port, index) => (
            <Way
              key={port.id}
              {...props}
              port={port}
              number={index + 1}
              isTaken={port.id === taken}
              hits={hits?.ways.get(port.id)}
              reference={direction === 'right' ? references.find((one) => one.port === port.id) : undefined}
            />
          ))}
        </ol>
      )
  }
}

/** The lines of a step with a single exit. */
function Lines({
  step,
  taken,
  references,
  direction,
  children,
}: ContentProps & { readonly children: React.ReactNode }) {
  const [reference] = references
  return (
    <div
      className="lines"
      style={{ height: shapeOf(step).ports[0]?.height }}
      data-taken={taken === undefined ? undefined : ''}
      data-chip={direction === 'right' && reference !== undefined ? '' : undefined}
    >
      {children}
      {direction === 'right' && reference?.isHere === false && <ReferenceTag reference={reference} />}
    </div>
  )
}

type WayProps = Omit<ContentProps, 'hits'> & {
  readonly port: Port
  readonly number: number
  readonly isTaken: boolean
  readonly hits: number | undefined
  /** The result of the branch, shown within its row in a flow to the right. */
  readonly reference: Reference | undefined
}

function Way({ step, port, number, isTaken, hits, reference, isNaming, begin }: WayProps) {
  const { canvas } = useTexts()
  const { exit, label, height } = port
  return (
    <li
      style={{ height }}
      data-taken={isTaken ? '' : undefined}
      data-chip={reference === undefined ? undefined : ''}
      onDoubleClick={(event) => {
        if (begin === undefined || exit.kind !== 'branch') return
        event.stopPropagation()
        begin()
      }}
    >
      <span className="number">{exit.kind === 'branch' ? number : ''}</span>
      <span className="what">
        {isNaming && exit.kind === 'branch' ? (
          <NameInput id={step.id} label={canvas.labelOf(number)} value={label ?? ''} branch={exit.id} />
        ) : (
          label !== undefined && <span className="branch-label">{label}</span>
        )}
        <Condition step={step} port={port} />
      </span>
      {hits !== undefined && <Hits count={hits} />}
      {port.target === undefined && exit.kind !== 'default' && (
        <span className="open" title={canvas.nowhere}>
          <Icon name="alert" size={12} />
        </span>
      )}
      {reference?.isHere === false && <ReferenceTag reference={reference} />}
    </li>
  )
}

function Condition({ step, port: { exit, text } }: { readonly step: DraftStep; readonly port: Port }) {
  const { canvas } = useTexts()
  const isTable = step.type === 'table'
  if (exit.kind === 'default') return <span className="words">{isTable ? canvas.noRow : canvas.otherwise}</span>
  if (exit.kind === 'next')
    return (
      <>
        <span className="words">{isTable ? canvas.aRow : canvas.onward}</span>
        {text !== undefined && (
          <span className="condition in-words" data-lines={linesOf(text)} title={text}>
            {canvas.sets(text)}
          </span>
        )}
      </>
    )
  return (
    <span className="condition" data-lines={linesOf(text)} title={text}>
      {exit.kind === 'row' ? text : <ConditionText text={text ?? ''} />}
    </span>
  )
}
