import type { Assignment, DraftRuleset, DraftStep, Exit } from '@engine/authoring'
import { connect, targetOf } from '@engine/authoring'
import { type ReactNode, useState } from 'react'
import type { Known } from '../../expression-editor/complete.ts'
import { ExpressionEditor } from '../../expression-editor/editor.tsx'
import type { Visit } from '../../graph-editor/trace.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { Apply } from '../state/editing.ts'
import { withStep } from '../state/edits.ts'
import { TargetSelect } from './target-select.tsx'
import { ValueLine } from './value-line.tsx'

export interface DetailsProps {
  readonly draft: DraftRuleset
  readonly step: DraftStep
  readonly known: Known
  readonly visit: Visit | undefined
  readonly subRules: readonly string[]
  /** Undefined: read-only. */
  readonly apply: Apply | undefined
  readonly undo: () => void
  readonly redo: () => void
  readonly openTable: () => void
  readonly openSubRule: (name: string) => void
  /** Replaces this step with the steps of its sub-rule. */
  readonly inline: () => void
  readonly insert: (exit: Exit) => void
  readonly remove: () => void
}

type Put = ((label: string, step: DraftStep, part: string) => void) | undefined

/** Writes a changed step to the draft; consecutive edits of one part merge into one undo entry while the user types. */
export const putter = ({ apply, step: { id } }: DetailsProps): Put =>
  apply && ((label, step, part) => apply(label, (draft) => withStep(draft, step), `${id} ${part}`))

/** A titled section of the details. */
export function Section({
  title,
  children,
}: {
  readonly title: 'branches' | 'variables' | 'output' | 'result' | 'subRule' | 'table'
  readonly children: ReactNode
}) {
  const { editor } = useTexts()
  return (
    <section>
      <h3>{editor.sections[title]}</h3>
      {children}
    </section>
  )
}

/** A text field of a step. */
export function Text({
  label,
  value,
  change,
  isCode = false,
}: {
  readonly label: string
  readonly value: string
  readonly change: ((text: string) => void) | undefined
  readonly isCode?: boolean
}) {
  return (
    <label className="field">
      <span className="label">{label}</span>
      <input
        className={isCode ? 'input mono' : 'input'}
        value={value}
        readOnly={change === undefined}
        onChange={({ target }) => change?.(target.value)}
      />
    </label>
  )
}

interface WrittenProps extends DetailsProps {
  readonly label: string
  readonly value: string
  readonly put: (text: string) => DraftStep
  readonly part: string
  /** Assignments of the step that precede the expression. */
  readonly assignments?: readonly Assignment[]
}

/** An expression of a step, with its value once the user has focused it. */
export function Written(props: WrittenProps) {
  const { editor } = useTexts()
  const { label, value, put, part, known, undo, redo, step, assignments = [] } = props
  const apply = putter(props)
  const [isVisited, visit] = useState(false)
  return (
    <div className="written" onFocus={() => visit(true)}>
      <ExpressionEditor
        label={label}
        value={value}
        known={known}
        undo={undo}
        redo={redo}
        change={apply && ((text) => apply(editor.editText(label), put(text), part))}
      />
      {isVisited && <ValueLine step={step.id} text={value} assignments={assignments} />}
    </div>
  )
}

/** The target of an exit, and a button that inserts a new step there. */
export function Way({ draft, step, exit, apply, insert }: DetailsProps & { readonly exit: Exit }) {
  const { editor } = useTexts()
  const target = targetOf(step, exit) ?? ''
  const label = exit.kind === 'default' ? editor.otherwise : editor.goTo
  return (
    <div className="row">
      <label className="row grow">
        <span className="muted">{label}</span>
        <TargetSelect
          steps={draft.steps}
          own={step.id}
          target={target}
          change={apply && ((id) => apply(editor.connect, (old) => connect(old, { step: step.id, exit }, id)))}
        />
      </label>
      {apply !== undefined && (
        <button
          type="button"
          className="btn icon"
          data-kind="quiet"
          aria-label={editor.insertHere}
          onClick={() => insert(exit)}
        >
          <Icon name="plus" size={14} />
        </button>
      )}
    </div>
  )
}

interface AssignmentsProps extends DetailsProps {
  readonly list: readonly Assignment[]
  readonly isVariable?: boolean
  readonly put: (list: readonly Assignment[]) => DraftStep
}

/** Names with the expressions of their values. */
export function Assignments(props: AssignmentsProps) {
  const { editor } = useTexts()
  const { list, isVariable = false, put } = props
  const apply = putter(props)
  return (
    <>
      {list.map((one, index) => (
        <div key={index} className="branch">
          <div className="row">
            <Text
              label={isVariable ? editor.variable : editor.key}
              value={one.name ?? ''}
              isCode
              change={
                apply && ((name) => apply(editor.rename, put(list.with(index, { ...one, name })), `name ${index}`))
              }
            />
            {apply !== undefined && (
              <button
                type="button"
                className="btn icon"
                data-kind="quiet"
                aria-label={editor.removeValue(one.name ?? '')}
                onClick={() => apply(editor.removeValue(one.name ?? ''), put(list.toSpliced(index, 1)), `-${index}`)}
              >
                <Icon name="trash" size={14} />
              </button>
            )}
          </div>
          <Written
            {...props}
            label={editor.valueOf(one.name ?? '')}
            value={one.value ?? ''}
            part={`value ${index}`}
            {...(isVariable && { assignments: list.slice(0, index) })}
            put={(value) => put(list.with(index, { ...one, value }))}
          />
        </div>
      ))}
      {apply !== undefined && (
        <div>
          <button
            type="button"
            className="btn"
            onClick={() => apply(editor.addValue, put([...list, { name: '', value: '' }]), `+${list.length}`)}
          >
            <Icon name="plus" size={14} />
            {editor.addValue}
          </button>
        </div>
      )}
    </>
  )
}
