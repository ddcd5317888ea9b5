import type { DraftRuleset, DraftStep } from '@engine/authoring'
import type { KeyboardEvent } from 'react'
import { StepMenu } from '../graph-editor/step-menu.tsx'
import { initials } from '../graph-editor/node.tsx'
import type { Visit } from '../graph-editor/trace.ts'
import { useTexts } from '../texts/texts.tsx'
import { Icon } from '../ui/icon.tsx'

interface OutlineProps {
  readonly draft: DraftRuleset
  readonly selected: string | undefined
  readonly visits: ReadonlyMap<string, Visit> | undefined
  readonly problems: ReadonlyMap<string, number>
  /** Names of others who are at a step. */
  readonly present: ReadonlyMap<string, string>
  readonly select: (id: string) => void
  /** Undefined: nothing may be changed. */
  readonly add: ((type: DraftStep['type']) => void) | undefined
}

const rowId = (id: string) => `outline-${id}`

/** All steps as a list: the graph for screen readers, and for finding one by name. */
export function Outline({ draft: { steps }, selected, visits, problems, present, select, add }: OutlineProps) {
  const { editor, canvas } = useTexts()
  const onKey = (event: KeyboardEvent) => {
    const at = steps.findIndex(({ id }) => id === selected)
    const to = { ArrowDown: steps[at + 1], ArrowUp: steps[at - 1], Home: steps[0], End: steps.at(-1) }[event.key]
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
      <div role="tree" aria-label={editor.stepsInOrder} onKeyDown={onKey}>
        {steps.map(({ id, name, type }, index) => (
          <div
            key={id}
            id={rowId(id)}
            role="treeitem"
            aria-selected={id === selected}
            tabIndex={id === selected || (selected === undefined && index === 0) ? 0 : -1}
            onClick={() => select(id)}
          >
            <span style={{ color: `var(--k-${type})` }}>
              <Icon name={type} size={13} />
            </span>
            <span className="vh">{canvas.kinds[type]}</span>
            <span className="words">{name ?? id}</span>
            {present.has(id) && (
              <span className="tag" data-tone="accent" title={canvas.presentHere(present.get(id) ?? '')}>
                {initials(present.get(id) ?? '')}
                <span className="vh">{canvas.presentHere(present.get(id) ?? '')}</span>
              </span>
            )}
            {(problems.get(id) ?? 0) > 0 && (
              <span className="tag" data-tone="bad">
                {problems.get(id)}
                <span className="vh">{editor.problemsWord}</span>
              </span>
            )}
            {visits?.has(id) === true && (
              <span className="tag" data-tone="ok">
                {visits.get(id)?.order}
              </span>
            )}
          </div>
        ))}
      </div>
    </div>
  )
}
