import type { DraftStep } from '@engine/authoring'
import { Handle, type Node, type NodeProps, Position } from '@xyflow/react'
import { memo, useEffect, useRef } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { Expression } from '../ui/expression.tsx'
import { Icon } from '../ui/icon.tsx'
import { initials } from '../ui/initials.ts'
import type { StepHits } from './coverage.ts'
import { nodeElementId } from './element-id.ts'
import { focusWhenDrawn } from './focus-step.ts'
import { ENTRY, isTall, type Port, shapeOf } from './shape.ts'
import type { Visit } from './trace.ts'

/** The difference of a step from that of another save. */
export type StepChange = 'added' | 'removed' | 'changed'

/** The data of a node of the canvas. */
export interface StepData extends Record<string, unknown> {
  readonly step: DraftStep
  readonly visit: Visit | undefined
  /** An execution is shown: steps off its path are dimmed. */
  readonly isTraced: boolean
  readonly isSelected: boolean
  /** The only tab stop of the canvas is here. */
  readonly isCurrent: boolean
  readonly isEntry: boolean
  readonly problems: number
  /** Coverage of the saved cases; undefined: hidden. */
  readonly hits: StepHits | undefined
  /** Names of other users at this step. */
  readonly present: string
  /** For two graphs side by side; undefined: the step is the same in both. */
  readonly change: StepChange | undefined
  /** Prefix of its element ids. */
  readonly scope: string
  readonly place: readonly [number: number, of: number]
}

export type StepNodeType = Node<StepData, 'step'>

/** A step: its kind, name, conditions and values, with a handle at each way out. */
export const StepNode = memo(function StepNode({ id, data }: NodeProps<StepNodeType>) {
  const { canvas } = useTexts()
  const { step, visit, isTraced, isSelected, isCurrent, isEntry, problems, hits, present, change, scope, place } = data
  const name = step.type === 'terminal' ? (step.code ?? '') : (step.name ?? step.id)
  const element = useRef<HTMLDivElement>(null)
  const elementId = nodeElementId(id, scope)
  useEffect(() => focusWhenDrawn(elementId, element.current), [elementId])
  const spoken = canvas.spoken(canvas.kinds[step.type], name, place[0], place[1], visit?.order, problems)
  return (
    <div
      ref={element}
      id={elementId}
      className="nd"
      role="group"
      aria-roledescription={canvas.step}
      aria-label={spoken}
      tabIndex={isCurrent ? 0 : -1}
      data-selected={isSelected ? '' : undefined}
      data-change={change}
      data-trace={isTraced ? (visit === undefined ? 'off' : 'on') : undefined}
      style={{ height: shapeOf(step).height }}
    >
      <Handle className="in" type="target" position={Position.Left} style={{ top: ENTRY }} />
      {visit !== undefined && <span className="order">{visit.order}</span>}
      <header>
        <span className="kind" style={{ color: `var(--k-${step.type})` }}>
          <Icon name={step.type} size={13} />
        </span>
        <span className={step.type === 'terminal' ? 'name mono' : 'name'}>{name}</span>
        {isEntry && <span className="tag">{canvas.start}</span>}
        {step.type === 'table' && <span className="tag tnum">{canvas.rows(step.rows.length)}</span>}
        {hits !== undefined && <Hits count={hits.count} />}
        {change !== undefined && (
          <span className="tag" data-tone={TONES[change]}>
            {canvas.changes[change]}
          </span>
        )}
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
      <Content step={step} taken={visit?.port} hits={hits} />
      {shapeOf(step).ports.map((port) => (
        <Handle key={port.id} id={port.id} type="source" position={Position.Right} style={{ top: port.y }} />
      ))}
    </div>
  )
})

const TONES = { added: 'ok', removed: 'bad', changed: 'warn' } as const

/** The number of saved cases that reached it; zero is highlighted. */
function Hits({ count }: { readonly count: number }) {
  const { canvas } = useTexts()
  return (
    <span className="tag tnum hits" data-tone={count === 0 ? 'warn' : 'ok'} title={canvas.hits(count)}>
      {count}×<span className="vh">{canvas.hits(count)}</span>
    </span>
  )
}

/** Rows shown for an action. */
const MAX_ROWS = 6

interface ContentProps {
  readonly step: DraftStep
  readonly taken: string | undefined
  readonly hits: StepHits | undefined
}

function Content({ step, taken, hits }: ContentProps) {
  switch (step.type) {
    case 'terminal':
      return step.message === undefined ? null : (
        <div className="line">
          <Expression text={step.message} />
        </div>
      )
    case 'sub_rule':
      return <div className="line mono">{step.refName}</div>
    case 'action':
      return [
        ...step.assignments.map(({ name = '', value = '' }) => `$${name} = ${value}`),
        ...(step.externalCalls ?? []).map(({ target = '' }) => target),
      ]
        .slice(0, MAX_ROWS)
        .map((text, index) => (
          <div key={index} className="line">
            <Expression text={text} />
          </div>
        ))
    case 'decision':
    case 'table':
      return (
        <ol>
          {shapeOf(step).ports.map((port, index) => (
            <Way
              key={port.id}
              port={port}
              number={index + 1}
              isTaken={port.id === taken}
              isTable={step.type === 'table'}
              hits={hits?.ways.get(port.id)}
            />
          ))}
        </ol>
      )
  }
}

function Way({
  port,
  number,
  isTaken,
  isTable,
  hits,
}: {
  readonly port: Port
  readonly number: number
  readonly isTaken: boolean
  readonly isTable: boolean
  readonly hits: number | undefined
}) {
  const { canvas } = useTexts()
  const { exit, text } = port
  const words =
    exit.kind === 'default'
      ? isTable
        ? canvas.noRow
        : canvas.otherwise
      : exit.kind === 'next'
        ? canvas.onward
        : undefined
  return (
    <li data-taken={isTaken ? '' : undefined} data-tall={isTall(text) ? '' : undefined}>
      <span className="number">{exit.kind === 'branch' ? number : ''}</span>
      {words === undefined ? (
        <span className="condition" title={text}>
          {exit.kind === 'row' ? text : <Expression text={text ?? ''} />}
        </span>
      ) : (
        <span className="words">{words}</span>
      )}
      {hits !== undefined && <Hits count={hits} />}
      {port.target === undefined && exit.kind !== 'default' && (
        <span className="open" title={canvas.nowhere}>
          <Icon name="alert" size={12} />
        </span>
      )}
    </li>
  )
}
