import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import type { Known } from '../expression-editor/complete.ts'
import '../styles/condition-rows.css'
import { useTexts } from '../texts/texts.tsx'
import { Expression } from '../ui/expression.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import {
  addRow,
  type At,
  changeJoiner,
  changeRow,
  type Code,
  type Comparison,
  type Condition,
  type Joiner,
  type Operand,
  type Operator,
  readCondition,
  type Row,
} from './condition.ts'
import { numbersOf, rowIn, subjectIn } from './typed-row.ts'
import {
  newRow,
  operatorsOf,
  problemOfRow,
  readOperand,
  readOperands,
  type RowProblem,
  type RowType,
  shownOperand,
  typeOfSubject,
  withOperator,
} from './row-type.ts'

interface RowsProps {
  /** Name of the group of rows. */
  readonly label: string
  readonly text: string
  /** Undefined: read-only. */
  readonly change: ((text: string) => void) | undefined
  readonly known: Known
}

/** A condition as rows of field, comparison and value. A change rewrites only its row in the text. */
export function ConditionRows({ label, text, change, known }: RowsProps) {
  const { conditions } = useTexts()
  const condition = text.trim() === '' ? EMPTY : readCondition(text)
  const fields = useId()
  if (condition === undefined) return <p className="muted row-hint">{conditions.unreadable}</p>
  const { rows, joiner } = condition
  const numbers = numbersOf(condition)
  return (
    <div className="condition-rows" role="group" aria-label={label}>
      {rows.map((row, index) => (
        <div key={index} className="condition-row">
          <Lead condition={condition} index={index} number={numbers[index] ?? 0} text={text} change={change} />
          {row.kind === 'group' ? (
            <div className="row-group">
              {row.rows.map((one, inner) => (
                <div key={inner} className="condition-row">
                  <span className="lead">{inner === 0 ? '' : conditions.joiners[row.joiner]}</span>
                  <RowFields
                    row={one}
                    number={(numbers[index] ?? 0) + inner}
                    list={fields}
                    known={known}
                    change={change && ((next) => change(changeRow(text, [index, inner] satisfies At, next)))}
                  />
                </div>
              ))}
            </div>
          ) : (
            <RowFields
              row={row}
              number={numbers[index] ?? 0}
              list={fields}
              known={known}
              change={change && ((next) => change(changeRow(text, [index], next)))}
            />
          )}
        </div>
      ))}
      {change !== undefined && (
        <div className="condition-row">
          <span className="lead">{conditions.joiners[joiner]}</span>
          <NewRow
            list={fields}
            known={known}
            isFirst={rows.length === 0}
            add={(row) => change(addRow(text, row, joiner))}
          />
        </div>
      )}
      <FieldList id={fields} known={known} />
    </div>
  )
}

const EMPTY: Condition = { joiner: 'and', rows: [] }

/** The word before a row: `when`, or the joiner; changing the first joiner changes all. */
function Lead({
  condition: { joiner },
  index,
  number,
  text,
  change,
}: {
  readonly condition: Condition
  readonly index: number
  readonly number: number
  readonly text: string
  readonly change: RowsProps['change']
}) {
  const { conditions } = useTexts()
  if (index === 0) return <span className="lead">{conditions.when}</span>
  if (index > 1 || change === undefined) return <span className="lead">{conditions.joiners[joiner]}</span>
  return (
    <select
      className="lead input"
      aria-label={conditions.joinerOf(number)}
      value={joiner}
      onChange={({ target }) => change(changeJoiner(text, target.value as Joiner))}
    >
      {(['and', 'or'] as const).map((one) => (
        <option key={one} value={one}>
          {conditions.joiners[one]}
        </option>
      ))}
    </select>
  )
}

interface RowFieldsProps {
  readonly row: Comparison | Code
  readonly number: number
  /** Id of the `datalist` of known fields. */
  readonly list: string
  readonly known: Known
  readonly change: ((row: Row | undefined) => void) | undefined
}

function RowFields(props: RowFieldsProps) {
  const { row, number, change } = props
  const { conditions } = useTexts()
  const remove = change !== undefined && (
    <button
      type="button"
      className="btn icon"
      data-kind="quiet"
      aria-label={conditions.remove(number)}
      onClick={() => change(undefined)}
    >
      <Icon name="x" size={13} />
    </button>
  )
  if (row.kind === 'code')
    return (
      <div className="row-fields" data-code="">
        <code className="row-code" title={conditions.asCode}>
          <Expression text={row.text} />
        </code>
        {remove}
      </div>
    )
  return <ComparisonFields {...props} row={row} remove={remove} />
}

const ICONS: Readonly<Record<RowType, IconName>> = {
  text: 'text',
  number: 'number',
  boolean: 'toggle',
  date: 'date',
  list: 'list',
  any: 'fact',
}

function ComparisonFields({
  row,
  number,
  list,
  known,
  change,
  remove,
}: RowFieldsProps & { readonly row: Comparison; readonly remove: React.ReactNode }) {
  const { conditions } = useTexts()
  const { subject, operator } = row
  const type = typeOfSubject(subject, known)
  const values = known.fields.find(({ path }) => path === subject.text)?.values ?? []
  const problem = problemOfRow(row, known)
  const id = useId()
  const described = problem === undefined ? undefined : id
  return (
    <div className="row-fields" data-bad={problem === undefined ? undefined : ''}>
      <span className="row-subject">
        <Icon name={ICONS[subject.kind === 'field' ? type : 'number']} size={13} />
        <TypedInput
          label={conditions.field(number)}
          value={subject.kind === 'count' ? conditions.numberOf(subject.text) : subject.text}
          list={list}
          isBad={problem !== undefined}
          describedBy={described}
          isReadOnly={change === undefined}
          keep={(typed) => {
            const next = subjectIn(typed, conditions.numberOf)
            if (next === undefined) return false
            const nextType = typeOfSubject(next, known)
            const nextValues = known.fields.find(({ path }) => path === next.text)?.values ?? []
            change?.(nextType === type ? { ...row, subject: next } : newRow(next, nextType, nextValues))
            return true
          }}
        />
      </span>
      {remove}
      <select
        className="input"
        aria-label={conditions.operatorOf(number)}
        value={operator}
        disabled={change === undefined}
        onChange={({ target }) => change?.(withOperator(row, target.value as Operator, type, values))}
      >
        {operatorsOf(row, type).map((one) => (
          <option key={one} value={one}>
            {conditions.operator(one, type)}
          </option>
        ))}
      </select>
      <Values
        row={row}
        type={type}
        values={values}
        number={number}
        known={known}
        change={change}
        describedBy={described}
      />
      {problem !== undefined && <Problem id={id} problem={problem} change={change} />}
    </div>
  )
}

function Problem({
  id,
  problem,
  change,
}: {
  readonly id: string
  readonly problem: RowProblem
  readonly change: RowFieldsProps['change']
}) {
  const { conditions } = useTexts()
  const { kind, name, type = 'any', fix } = problem
  const text = {
    'no-field': conditions.noField(name),
    'no-variable': conditions.noVariable(name),
    'read-as-field': conditions.readAsField(name),
    'wrong-type': conditions.wrongType(name, type),
  }[kind]
  return (
    <p className="row-problem">
      <Icon name="alert" size={13} />
      <span id={id}>{text}</span>
      {fix !== undefined && change !== undefined && (
        <button type="button" className="link" onClick={() => change(fix.row)}>
          {conditions.fixes[fix.kind](fix.name)}
        </button>
      )}
    </p>
  )
}

interface ValuesProps {
  readonly row: Comparison
  readonly type: RowType
  /** The values that the contract allows, as expression text. */
  readonly values: readonly string[]
  readonly number: number
  readonly known: Known
  readonly change: RowFieldsProps['change']
  readonly describedBy: string | undefined
}

function Values(props: ValuesProps) {
  const { row, type, values, number, known, change, describedBy } = props
  const { conditions } = useTexts()
  const { operator, operands } = row
  const put = (index: number) => (operand: Operand) => change?.({ ...row, operands: operands.with(index, operand) })
  const isReadOnly = change === undefined
  if (operator === 'known' || operator === 'unknown') return null
  if (operator === 'between')
    return (
      <span className="row-range">
        {[conditions.from(number), conditions.to(number)].map((label, index) => {
          const operand = operands[index]
          return operand === undefined ? null : (
            <Value key={index} {...props} label={label} operand={operand} put={put(index)} />
          )
        })}
      </span>
    )
  const [first] = operands
  if (operator === 'one-of' || operator === 'none-of')
    return (
      <TypedInput
        label={conditions.valueOf(number)}
        value={operands.map(shownOperand).join(', ')}
        hint={conditions.listHint}
        describedBy={describedBy}
        isReadOnly={isReadOnly}
        keep={(typed) => {
          const next = readOperands(typed, type, known)
          if (next === undefined) return false
          change?.({ ...row, operands: next })
          return true
        }}
      />
    )
  if (first === undefined) return null
  if (first.kind === 'boolean' && (type === 'boolean' || row.isBare === true))
    return (
      <select
        className="input"
        aria-label={conditions.valueOf(number)}
        value={first.text}
        disabled={isReadOnly}
        onChange={({ target }) => put(0)({ kind: 'boolean', text: target.value })}
      >
        <option value="true">{conditions.values.true}</option>
        <option value="false">{conditions.values.false}</option>
      </select>
    )
  if (values.length > 0 && values.includes(first.text) && (operator === 'is' || operator === 'is-not'))
    return (
      <select
        className="input"
        aria-label={conditions.valueOf(number)}
        value={first.text}
        disabled={isReadOnly}
        onChange={({ target }) => put(0)({ ...first, text: target.value })}
      >
        {values.map((one) => (
          <option key={one} value={one}>
            {shownOperand({ kind: first.kind, text: one })}
          </option>
        ))}
      </select>
    )
  return <Value {...props} label={conditions.valueOf(number)} operand={first} put={put(0)} />
}

function Value({
  label,
  operand,
  put,
  type,
  known,
  change,
  describedBy,
}: ValuesProps & { readonly label: string; readonly operand: Operand; readonly put: (operand: Operand) => void }) {
  const { conditions } = useTexts()
  const day = operand.kind === 'text' ? /^["'](\d{4}-\d\d-\d\d)["']$/.exec(operand.text)?.[1] : undefined
  if (type === 'date' && day !== undefined)
    return (
      <input
        className="input"
        type="date"
        aria-label={label}
        value={day}
        readOnly={change === undefined}
        onChange={({ target }) => {
          if (target.value !== '') put({ kind: 'text', text: JSON.stringify(target.value) })
        }}
      />
    )
  return (
    <TypedInput
      label={label}
      value={shownOperand(operand)}
      isCode={operand.kind === 'field'}
      describedBy={describedBy}
      isReadOnly={change === undefined}
      isNumber={type === 'number'}
      refusal={(typed) => (type === 'date' ? conditions.notDate(typed) : conditions.notNumber(typed))}
      keep={(typed) => {
        const next = readOperand(typed, type, known, operand)
        if (next === undefined) return false
        put(next)
        return true
      }}
    />
  )
}

/** A text field that commits its text on blur or Enter; Escape reverts it. */
function TypedInput({
  label,
  value,
  keep,
  refusal,
  list,
  hint,
  describedBy,
  isBad = false,
  isCode = false,
  isNumber = false,
  isReadOnly,
}: {
  readonly label: string
  readonly value: string
  /** Returns whether the text was accepted. */
  readonly keep: (typed: string) => boolean
  /** The reason why a text is rejected. */
  readonly refusal?: (typed: string) => string
  readonly list?: string
  readonly hint?: string
  readonly describedBy: string | undefined
  readonly isBad?: boolean
  readonly isCode?: boolean
  readonly isNumber?: boolean
  readonly isReadOnly: boolean
}) {
  const [typed, setTyped] = useState(value)
  const [isRefused, setRefused] = useState(false)
  const id = useId()
  useEffect(() => {
    setTyped(value)
    setRefused(false)
  }, [value])
  const leave = () => {
    if (typed !== value) setRefused(!keep(typed))
  }
  const onKey = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Enter') leave()
    if (event.key !== 'Escape' || typed === value) return
    // Escape reverts the typed text; a second one leaves the details.
    event.preventDefault()
    setTyped(value)
    setRefused(false)
  }
  return (
    <>
      <input
        className={isCode ? 'input mono' : 'input'}
        aria-label={label}
        aria-invalid={isRefused || isBad || undefined}
        aria-describedby={isRefused ? id : describedBy}
        list={list}
        placeholder={hint}
        inputMode={isNumber ? 'decimal' : undefined}
        spellCheck={false}
        autoComplete="off"
        value={typed}
        readOnly={isReadOnly}
        onChange={({ target }) => setTyped(target.value)}
        onBlur={leave}
        onKeyDown={onKey}
      />
      {isRefused && refusal !== undefined && (
        <span className="row-problem" id={id} role="alert">
          {refusal(typed)}
        </span>
      )}
    </>
  )
}

/** The field for a new row: a known field gets a row of its type, anything else becomes an expression. */
function NewRow({
  list,
  known,
  isFirst,
  add,
}: {
  readonly list: string
  readonly known: Known
  readonly isFirst: boolean
  readonly add: (row: Row) => void
}) {
  const { conditions } = useTexts()
  const [typed, setTyped] = useState('')
  const keep = (text: string) => {
    const row = rowIn(text, known, conditions.numberOf)
    if (row === undefined) return
    setTyped('')
    add(row)
  }
  return (
    <input
      className="input new-row"
      aria-label={conditions.add}
      placeholder={conditions.addHint}
      data-first={isFirst ? '' : undefined}
      list={list}
      spellCheck={false}
      autoComplete="off"
      value={typed}
      onChange={({ target, nativeEvent }) => {
        setTyped(target.value)
        // A name picked from the list creates its row without Enter.
        const isPicked = !(nativeEvent instanceof InputEvent) || nativeEvent.inputType === 'insertReplacementText'
        if (isPicked) keep(target.value)
      }}
      onBlur={() => keep(typed)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') keep(typed)
        if (event.key !== 'Escape' || typed === '') return
        event.preventDefault()
        setTyped('')
      }}
    />
  )
}

/** The known names with their descriptions. */
function FieldList({ id, known: { fields, variables } }: { readonly id: string; readonly known: Known }) {
  const { conditions } = useTexts()
  return (
    <datalist id={id}>
      {fields.map(({ path, description }) => (
        <option key={path} value={path}>
          {description}
        </option>
      ))}
      {fields
        .filter(({ type }) => type.startsWith('array'))
        .map(({ path }) => (
          <option key={`count ${path}`} value={conditions.numberOf(path)} />
        ))}
      {variables.map((name) => (
        <option key={`$${name}`} value={`$${name}`} />
      ))}
    </datalist>
  )
}
