import { useEffect, useState } from 'react'
import { useSend } from '../api/data.ts'
import type { components } from '../api/schema.ts'
import { errorOf } from '../api/errors.ts'
import { useIds } from '../frame/route-scope.ts'
import { useTexts } from '../texts/texts.tsx'
import { usePageTexts } from '../texts/page-texts.ts'
import { Icon } from '../ui/icon.tsx'
import { Refusal } from '../ui/states.tsx'
import { nextVersion, readValues, shownValues, TYPES } from './contract-values.ts'

type Document = components['schemas']['ContractDocument']
type Field = components['schemas']['Field']
type Output = Document['outputs'][number]
type TypedField = components['schemas']['TypedField']

const CONTRACTS = '/api/v1/orgs/{oid}/projects/{pid}/contracts'
const CONTRACT = `${CONTRACTS}/{name}` as const

/** Debounce delay before a change is checked. */
const CHECK_DELAY_MS = 400

/** The fields and results of a contract as a form, which shows breaking changes while the author types. */
export function ContractForm({ contract, close }: { readonly contract: Document; readonly close: () => void }) {
  const { common } = useTexts()
  const { contracts: texts } = usePageTexts()
  const { oid, pid } = useIds()
  const [draft, setDraft] = useState(contract)
  const [error, setError] = useState<Error | null>(null)
  const save = useSend('put', CONTRACT, [CONTRACTS, CONTRACT])
  const path = { oid, pid, name: contract.name }
  const { input, outputs } = draft
  const setFields = (fields: readonly Field[]) => setDraft({ ...draft, input: { fields: [...fields] } })
  const setOutputs = (next: readonly Output[]) => setDraft({ ...draft, outputs: [...next] })
  const send = () => {
    setError(null)
    save.mutateAsync({ path, body: draft }).then(close, (thrown: unknown) => setError(errorOf(thrown)))
  }
  return (
    <form
      className="stack"
      aria-label={texts.change}
      onSubmit={(event) => {
        event.preventDefault()
        if (!save.isPending) send()
      }}
    >
      <section className="card body contract-head">
        <label className="field">
          <span className="label">{texts.version}</span>
          <input
            className="input mono"
            value={draft.version}
            onChange={({ target }) => setDraft({ ...draft, version: target.value.trim() })}
          />
        </label>
        <label className="field grow">
          <span className="label">{texts.description}</span>
          <input
            className="input"
            value={draft.description ?? ''}
            onChange={({ target }) => setDraft(described(draft, target.value))}
          />
        </label>
        <Verdict
          before={contract}
          draft={draft}
          path={path}
          useVersion={(version) => setDraft({ ...draft, version })}
        />
      </section>
      <InputFields fields={input.fields} change={setFields} />
      <section className="card" aria-label={texts.outputs}>
        <header>
          <h2>{texts.outputs}</h2>
        </header>
        {outputs.map((output, index) => (
          <OutputFields
            key={index}
            output={output}
            number={index + 1}
            change={(next) => setOutputs(outputs.with(index, next))}
            remove={() => setOutputs(outputs.toSpliced(index, 1))}
          />
        ))}
        <div className="body">
          <AddButton label={texts.addOutput} run={() => setOutputs([...outputs, { code: '', fields: [] }])} />
        </div>
      </section>
      <TypeList />
      <Refusal error={error} />
      <footer className="row">
        <span className="grow" />
        <button type="button" className="btn" onClick={close}>
          {common.cancel}
        </button>
        <button type="submit" className="btn" data-kind="primary" aria-disabled={save.isPending || undefined}>
          {save.isPending ? common.sending : texts.save}
        </button>
      </footer>
    </form>
  )
}

function InputFields({
  fields,
  change,
}: {
  readonly fields: readonly Field[]
  readonly change: (fields: readonly Field[]) => void
}) {
  const { contracts: texts } = usePageTexts()
  return (
    <section className="card scroll" tabIndex={0} role="region" aria-label={texts.inputs}>
      <header>
        <h2>{texts.inputs}</h2>
      </header>
      <table className="list contract-fields">
        <thead>
          <tr>
            <th scope="col">{texts.field}</th>
            <th scope="col">{texts.type}</th>
            <th scope="col">{texts.required}</th>
            <th scope="col">{texts.values}</th>
            <th scope="col">{texts.minimum}</th>
            <th scope="col">{texts.maximum}</th>
            <th scope="col">{texts.sensitive}</th>
            <th scope="col">
              <span className="vh">{texts.removeColumn}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {fields.map((field, index) => (
            <FieldRow
              key={index}
              field={field}
              number={index + 1}
              change={(next) => change(fields.with(index, next))}
              remove={() => change(fields.toSpliced(index, 1))}
            />
          ))}
        </tbody>
      </table>
      <div className="body">
        <AddButton label={texts.addField} run={() => change([...fields, { name: '', type: 'string' }])} />
      </div>
    </section>
  )
}

/** The document with a new description; an empty one is removed. */
function described({ description: _before, ...rest }: Document, description: string): Document {
  return description === '' ? rest : { ...rest, description }
}

function AddButton({ label, run }: { readonly label: string; readonly run: () => void }) {
  return (
    <button type="button" className="btn" onClick={run}>
      <Icon name="plus" size={14} />
      {label}
    </button>
  )
}

function RemoveButton({ label, run }: { readonly label: string; readonly run: () => void }) {
  return (
    <button type="button" className="btn icon" data-kind="quiet" aria-label={label} onClick={run}>
      <Icon name="trash" size={14} />
    </button>
  )
}

/** The effect of the change on callers, and the required version. */
function Verdict({
  before,
  draft,
  path,
  useVersion: takeVersion,
}: {
  readonly before: Document
  readonly draft: Document
  readonly path: { readonly oid: string; readonly pid: string; readonly name: string }
  readonly useVersion: (version: string) => void
}) {
  const { contracts: texts } = usePageTexts()
  const { mutateAsync, data: verdict, error, reset } = useSend('post', `${CONTRACT}/check`, [])
  const { oid, pid, name } = path
  useEffect(() => {
    if (draft === before) {
      reset()
      return
    }
    const timer = setTimeout(() => {
      // The response or the error is shown.
      mutateAsync({ path: { oid, pid, name }, body: draft }).catch(() => undefined)
    }, CHECK_DELAY_MS)
    return () => clearTimeout(timer)
  }, [before, draft, mutateAsync, reset, oid, pid, name])
  if (error !== null) return <Refusal error={error} />
  if (verdict === undefined) return null
  const next = nextVersion(before.version, verdict.bump)
  return (
    <div className="note contract-verdict" data-tone={verdict.breaking ? 'bad' : 'ok'} role="status">
      <div>
        {texts.bump(verdict.bump)}
        {verdict.breaks.map(({ path: at, message }) => (
          <div key={at}>{message}</div>
        ))}{' '}
        {next !== undefined && next !== draft.version && (
          <button type="button" className="link" onClick={() => takeVersion(next)}>
            {texts.takeVersion(next)}
          </button>
        )}
      </div>
    </div>
  )
}

function FieldRow({
  field,
  number,
  change,
  remove,
}: {
  readonly field: Field
  readonly number: number
  readonly change: (field: Field) => void
  readonly remove: () => void
}) {
  const { contracts: texts } = usePageTexts()
  const of = (label: string) => texts.ofField(label, number)
  const limit = (member: 'minimum' | 'maximum', label: string) => (
    <td>
      <input
        className="input tnum"
        type="number"
        step="any"
        aria-label={of(label)}
        value={field[member] ?? ''}
        onChange={({ target }) => {
          const { [member]: _before, ...rest } = field
          change(target.value === '' ? rest : { ...rest, [member]: Number(target.value) })
        }}
      />
    </td>
  )
  const flag = (member: 'required' | 'sensitive', label: string) => (
    <td>
      <input
        type="checkbox"
        aria-label={of(label)}
        checked={field[member] === true}
        onChange={({ target }) => change({ ...field, [member]: target.checked })}
      />
    </td>
  )
  return (
    <tr>
      <td>
        <input
          className="input mono"
          aria-label={of(texts.field)}
          value={field.name}
          onChange={({ target }) => change({ ...field, name: target.value.trim() })}
        />
      </td>
      <td>
        <input
          className="input"
          aria-label={of(texts.type)}
          list="contract-types"
          value={field.type}
          onChange={({ target }) => change({ ...field, type: target.value.trim() })}
        />
      </td>
      {flag('required', texts.required)}
      <td>
        <Values label={of(texts.values)} field={field} change={change} />
      </td>
      {limit('minimum', texts.minimum)}
      {limit('maximum', texts.maximum)}
      {flag('sensitive', texts.sensitive)}
      <td className="acts">
        <RemoveButton label={texts.removeField(field.name, number)} run={remove} />
      </td>
    </tr>
  )
}

/** The allowed values, separated by commas. */
function Values({
  label,
  field,
  change,
}: {
  readonly label: string
  readonly field: Field
  readonly change: (field: Field) => void
}) {
  const { contracts: texts } = usePageTexts()
  const [typed, setTyped] = useState(() => shownValues(field.enum))
  return (
    <input
      className="input"
      aria-label={label}
      placeholder={texts.anyValue}
      value={typed}
      onChange={({ target }) => {
        setTyped(target.value)
        const { enum: _before, ...rest } = field
        const values = readValues(target.value, field.type)
        change(values.length === 0 ? rest : { ...rest, enum: [...values] })
      }}
    />
  )
}

function OutputFields({
  output,
  number,
  change,
  remove,
}: {
  readonly output: Output
  readonly number: number
  readonly change: (output: Output) => void
  readonly remove: () => void
}) {
  const { contracts: texts } = usePageTexts()
  const { code, fields } = output
  const set = (next: readonly TypedField[]) => change({ ...output, fields: [...next] })
  return (
    <div className="body contract-output" role="group" aria-label={texts.ofResult(code, number)}>
      <div className="row">
        <label className="field grow">
          <span className="label">{texts.code}</span>
          <input
            className="input mono"
            value={code}
            onChange={({ target }) => change({ ...output, code: target.value.trim() })}
          />
        </label>
        <RemoveButton label={texts.removeOutput(code, number)} run={remove} />
      </div>
      {fields.map((field, index) => (
        <div key={index} className="row">
          <input
            className="input mono grow"
            aria-label={texts.ofField(texts.field, index + 1)}
            value={field.name}
            onChange={({ target }) => set(fields.with(index, { ...field, name: target.value.trim() }))}
          />
          <input
            className="input grow"
            aria-label={texts.ofField(texts.type, index + 1)}
            list="contract-types"
            value={field.type}
            onChange={({ target }) => set(fields.with(index, { ...field, type: target.value.trim() }))}
          />
          <RemoveButton label={texts.removeField(field.name, index + 1)} run={() => set(fields.toSpliced(index, 1))} />
        </div>
      ))}
      <div>
        <AddButton label={texts.addOutputField} run={() => set([...fields, { name: '', type: 'string' }])} />
      </div>
    </div>
  )
}

function TypeList() {
  return (
    <datalist id="contract-types">
      {TYPES.map((type) => (
        <option key={type} value={type} />
      ))}
    </datalist>
  )
}
