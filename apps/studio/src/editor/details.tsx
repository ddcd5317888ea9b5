import type {
  Assignment,
  DecisionStep,
  DraftRuleset,
  DraftStep,
  SubRuleStep,
  TableStep,
  TerminalStep,
} from '@engine/authoring'
import { connect, type Exit, targetOf } from '@engine/authoring'
import type { KeyboardEvent, ReactNode } from 'react'
import type { Known } from '../expression-editor/complete.ts'
import { ExpressionEditor } from '../expression-editor/editor.tsx'
import { nodeElementId } from '../graph-editor/node.tsx'
import type { Visit } from '../graph-editor/trace.ts'
import { freshId } from '../session/new-draft.ts'
import { useTexts } from '../texts/texts.tsx'
import { Icon } from '../ui/icon.tsx'
import { withStep } from './edits.ts'

export interface DetailsProps {
  readonly draft: DraftRuleset
  readonly step: DraftStep
  readonly known: Known
  readonly visit: Visit | undefined
  readonly subRules: readonly string[]
  /** Undefined: nothing may be changed. */
  readonly apply: ((label: string, change: (draft: DraftRuleset) => DraftRuleset, key?: string) => void) | undefined
  readonly undo: () => void
  readonly redo: () => void
  readonly openTable: () => void
  readonly insert: (exit: Exit) => void
  readonly remove: () => void
}

/** Everything of one step, in fields. */
export function Details(props: DetailsProps) {
  const { canvas, editor } = useTexts()
  const { step, draft, apply, remove } = props
  const put = putter(props)
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && !event.defaultPrevented) document.getElementById(nodeElementId(step.id))?.focus()
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

type Put = ((label: string, step: DraftStep, part: string) => void) | undefined

/** Puts a changed step into the draft; changes of one part of it join while they are typed. */
const putter = ({ apply, step: { id } }: DetailsProps): Put =>
  apply && ((label, step, part) => apply(label, (draft) => withStep(draft, step), `${id} ${part}`))

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

function Section({
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

function Text({
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

function DecisionParts(props: DetailsProps & { readonly step: DecisionStep }) {
  const { editor } = useTexts()
  const { step, visit } = props
  const put = putter(props)
  const { branches } = step
  return (
    <Section title="branches">
      {branches.map((branch, index) => (
        <div key={branch.id} className="branch" data-taken={visit?.port === `branch:${branch.id}` ? '' : undefined}>
          <div className="row">
            <span className="label">{editor.branch(index + 1)}</span>
            <span className="grow" />
            {put !== undefined && (
              <button
                type="button"
                className="btn icon"
                data-kind="quiet"
                aria-label={editor.removeBranch(index + 1)}
                onClick={() =>
                  put(
                    editor.removeBranch(index + 1),
                    { ...step, branches: branches.filter(({ id }) => id !== branch.id) },
                    `-${branch.id}`,
                  )
                }
              >
                <Icon name="trash" size={14} />
              </button>
            )}
          </div>
          <Written
            {...props}
            label={editor.condition(index + 1)}
            value={branch.condition ?? ''}
            put={(condition) => ({ ...step, branches: branches.with(index, { ...branch, condition }) })}
            part={`condition ${branch.id}`}
          />
          <Way {...props} exit={{ kind: 'branch', id: branch.id }} />
        </div>
      ))}
      <Way {...props} exit={{ kind: 'default' }} />
      {put !== undefined && (
        <div>
          <button
            type="button"
            className="btn"
            onClick={() => {
              const id = freshId(
                'b',
                branches.map((one) => one.id),
              )
              put(editor.addBranch, { ...step, branches: [...branches, { id, condition: 'true' }] }, `+${id}`)
            }}
          >
            <Icon name="plus" size={14} />
            {editor.addBranch}
          </button>
        </div>
      )}
    </Section>
  )
}

interface WrittenProps extends DetailsProps {
  readonly label: string
  readonly value: string
  readonly put: (text: string) => DraftStep
  readonly part: string
}

function Written(props: WrittenProps) {
  const { editor } = useTexts()
  const { label, value, put, part, known, undo, redo } = props
  const apply = putter(props)
  return (
    <ExpressionEditor
      label={label}
      value={value}
      known={known}
      undo={undo}
      redo={redo}
      change={apply && ((text) => apply(editor.editText(label), put(text), part))}
    />
  )
}

/** Where a way out leads, and a new step on it. */
function Way({ draft, step, exit, apply, insert }: DetailsProps & { readonly exit: Exit }) {
  const { editor } = useTexts()
  const target = targetOf(step, exit) ?? ''
  const label = exit.kind === 'default' ? editor.otherwise : editor.goTo
  return (
    <div className="row">
      <label className="row grow">
        <span className="muted">{label}</span>
        <select
          className="input"
          value={target}
          disabled={apply === undefined}
          onChange={({ target: { value } }) =>
            apply?.(editor.connect, (old) => connect(old, { step: step.id, exit }, value === '' ? undefined : value))
          }
        >
          <option value="">{editor.nowhere}</option>
          {draft.steps
            .filter(({ id }) => id !== step.id)
            .map(({ id, name }) => (
              <option key={id} value={id}>
                {name ?? id}
              </option>
            ))}
        </select>
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

function Assignments(props: AssignmentsProps) {
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

function TerminalParts(props: DetailsProps & { readonly step: TerminalStep }) {
  const { editor } = useTexts()
  const { step } = props
  const put = putter(props)
  return (
    <>
      <Section title="result">
        <Text
          label={editor.code}
          value={step.code ?? ''}
          isCode
          change={put && ((code) => put(editor.editText(editor.code), { ...step, code }, 'code'))}
        />
        <div className="field">
          <span className="label">{editor.message}</span>
          <Written
            {...props}
            label={editor.message}
            value={step.message ?? ''}
            part="message"
            put={(message) => withoutEmpty({ ...step, message })}
          />
        </div>
      </Section>
      <Section title="output">
        <Assignments {...props} list={step.output ?? []} put={(output) => ({ ...step, output })} />
      </Section>
    </>
  )
}

function withoutEmpty({ message, ...rest }: TerminalStep): TerminalStep {
  return message === undefined || message.trim() === '' ? rest : { ...rest, message }
}

function SubRuleParts(props: DetailsProps & { readonly step: SubRuleStep }) {
  const { editor } = useTexts()
  const { step, subRules } = props
  const put = putter(props)
  const { bindings, outputs } = step
  return (
    <Section title="subRule">
      <label className="field">
        <span className="label">{editor.subRule}</span>
        <select
          className="input"
          value={step.refName ?? ''}
          disabled={put === undefined}
          onChange={({ target }) => put?.(editor.chooseSubRule, { ...step, refName: target.value }, 'ref')}
        >
          <option value="">{editor.nowhere}</option>
          {subRules.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <Assignments
        {...props}
        list={bindings.map(({ field = '', expr = '' }) => ({ name: field, value: expr }))}
        put={(list) => ({ ...step, bindings: list.map(({ name = '', value = '' }) => ({ field: name, expr: value })) })}
      />
      {outputs.map((one, index) => (
        <div key={index} className="row">
          <Text
            label={editor.outOf}
            value={one.childVar ?? ''}
            isCode
            change={
              put &&
              ((childVar) =>
                put(editor.rename, { ...step, outputs: outputs.with(index, { ...one, childVar }) }, `child ${index}`))
            }
          />
          <Text
            label={editor.into}
            value={one.parentVar ?? ''}
            isCode
            change={
              put &&
              ((parentVar) =>
                put(editor.rename, { ...step, outputs: outputs.with(index, { ...one, parentVar }) }, `parent ${index}`))
            }
          />
        </div>
      ))}
      <Way {...props} exit={{ kind: 'next' }} />
    </Section>
  )
}

function TableParts(props: DetailsProps & { readonly step: TableStep }) {
  const { editor } = useTexts()
  const { step, openTable } = props
  return (
    <Section title="table">
      <p className="muted">{editor.tableSize(step.rows.length, step.columns.length)}</p>
      <div>
        <button type="button" className="btn" onClick={openTable}>
          <Icon name="table" size={14} />
          {editor.openTable}
        </button>
      </div>
      <Way {...props} exit={{ kind: 'next' }} />
      <Way {...props} exit={{ kind: 'default' }} />
    </Section>
  )
}
