import type { KeyboardEvent, ReactNode } from 'react'
import { focusStep } from '../../graph-editor/focus-step.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Icon } from '../../ui/icon.tsx'
import { DecisionParts } from './decision-details.tsx'
import { Assignments, type DetailsProps, putter, Section, Text, Way } from './fields.tsx'
import { SubRuleParts, TableParts, TerminalParts } from './step-details.tsx'

/** Form fields for all parts of a step. */
export function Details(props: DetailsProps) {
  const { canvas, editor } = useTexts()
  const { step, draft, apply, remove } = props
  const put = putter(props)
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && !event.defaultPrevented) focusStep(step.id)
  }
  return (
    <aside className="details" aria-label={editor.details} onKeyDown={onKey}>
      <section>
        <div className="row">
          <span style={{ color: `var(--k-${step.type})` }}>
            <Icon name={step.type} />
          </span>
          <h2>{canvas.kinds[step.type]}</h2>
          <span className="grow" />
          {apply !== undefined && (
            <button
              type="button"
              className="btn icon"
              data-kind="quiet"
              aria-label={editor.removeStep}
              onClick={remove}
            >
              <Icon name="trash" size={14} />
            </button>
          )}
        </div>
        <Text
          label={editor.name}
          value={step.name ?? ''}
          change={put && ((name) => put(editor.rename, { ...step, name }, 'name'))}
        />
        {draft.startStepId === step.id ? (
          <p className="muted">{editor.isStart}</p>
        ) : (
          apply !== undefined && (
            <div>
              <button
                type="button"
                className="btn"
                onClick={() => apply(editor.makeStart, (old) => ({ ...old, startStepId: step.id }))}
              >
                {editor.makeStart}
              </button>
            </div>
          )
        )}
      </section>
      <Parts {...props} />
    </aside>
  )
}

function Parts(props: DetailsProps): ReactNode {
  const { step } = props
  switch (step.type) {
    case 'decision':
      return <DecisionParts {...props} step={step} />
    case 'action':
      return (
        <Section title="variables">
          <Assignments
            {...props}
            step={step}
            list={step.assignments}
            isVariable
            put={(assignments) => ({ ...step, assignments })}
          />
          <Way {...props} exit={{ kind: 'next' }} />
        </Section>
      )
    case 'terminal':
      return <TerminalParts {...props} step={step} />
    case 'sub_rule':
      return <SubRuleParts {...props} step={step} />
    case 'table':
      return <TableParts {...props} step={step} />
  }
}
