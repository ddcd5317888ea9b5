import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { ApiError } from '../api/errors.ts'
import { useTexts } from '../texts/texts.tsx'
import { Box } from './dialog.tsx'
import { Refusal } from './states.tsx'

/** A field of a form. */
export interface FormField {
  readonly name: string
  readonly label: string
  readonly hint?: string
  readonly kind?: 'text' | 'email' | 'password' | 'number' | 'area' | 'select' | 'checks' | 'flag'
  readonly options?: readonly { readonly value: string; readonly label: string }[]
  readonly isOptional?: boolean
  readonly autoComplete?: string
}

/** Values by the names of fields: a text, several of `checks`, or whether a `flag` is set. */
export type FormValues = Readonly<Record<string, string | readonly string[] | boolean>>

export const textOf = (values: FormValues, name: string): string => {
  const value = values[name]
  return typeof value === 'string' ? value.trim() : ''
}
export const listOf = (values: FormValues, name: string): readonly string[] => {
  const value = values[name]
  return Array.isArray(value) ? value : []
}

interface FieldsProps {
  readonly fields: readonly FormField[]
  readonly values: FormValues
  readonly change: (name: string, value: string | readonly string[] | boolean) => void
  readonly error?: Error | null
}

/** The fields of a form; a refusal appears at the field that it names. */
function Fields({ fields, values, change, error }: FieldsProps) {
  const id = useId()
  const faults = error instanceof ApiError ? error.details : []
  return fields.map((field, index) => {
    const { name, label, hint, kind = 'text' } = field
    const own = faults.find(({ path }) => path === `/${name}` || path.startsWith(`/${name}/`))?.message
    if (kind === 'flag')
      return (
        <label key={name} className="check">
          <input
            type="checkbox"
            checked={values[name] === true}
            onChange={(event) => change(name, event.target.checked)}
          />
          {label}
        </label>
      )
    if (kind === 'checks')
      return (
        <fieldset key={name} className="checks">
          <legend className="label">{label}</legend>
          {field.options?.map(({ value, label: words }) => (
            <label key={value}>
              <input
                type="checkbox"
                checked={listOf(values, name).includes(value)}
                onChange={({ target }) => {
                  const others = listOf(values, name).filter((one) => one !== value)
                  change(name, target.checked ? [...others, value] : others)
                }}
              />
              {words}
            </label>
          ))}
        </fieldset>
      )
    const shared = {
      id: `${id}${name}`,
      className: 'input',
      value: String(values[name] ?? ''),
      required: field.isOptional !== true,
      autoFocus: index === 0,
      'aria-invalid': own !== undefined,
      'aria-describedby': hint === undefined && own === undefined ? undefined : `${id}${name}-more`,
      onChange: ({ target }: { target: { value: string } }) => change(name, target.value),
    }
    return (
      <div key={name} className="field">
        <label htmlFor={`${id}${name}`}>{label}</label>
        {kind === 'area' ? (
          <textarea {...shared} rows={5} spellCheck={false} />
        ) : kind === 'select' ? (
          <select {...shared}>
            {field.options?.map(({ value, label: words }) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        ) : (
          <input {...shared} type={kind} step="any" autoComplete={field.autoComplete ?? 'off'} />
        )}
        {(own !== undefined || hint !== undefined) && (
          <span id={`${id}${name}-more`} className={own === undefined ? 'hint' : 'bad'}>
            {own ?? hint}
          </span>
        )}
      </div>
    )
  })
}

export interface FormProps {
  readonly fields: readonly FormField[]
  readonly initial?: FormValues
  readonly submit: string
  readonly send: (values: FormValues) => Promise<unknown>
  readonly kind?: 'primary' | 'bad'
  readonly cancel?: () => void
  readonly children?: ReactNode
}

/** Fields and their button, which is disabled while the form is sent. */
export function Form({ fields, initial = {}, submit, send, kind = 'primary', cancel, children }: FormProps) {
  const { common } = useTexts()
  const [values, setValues] = useState<FormValues>(() => ({ ...firstValues(fields), ...initial }))
  const [error, setError] = useState<Error | null>(null)
  const [isSending, setSending] = useState(false)
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (isSending) return
    setSending(true)
    setError(null)
    send(values)
      .catch((thrown: unknown) => setError(thrown as Error))
      .finally(() => setSending(false))
  }
  return (
    <form onSubmit={onSubmit}>
      {children}
      <Fields
        fields={fields}
        values={values}
        error={error}
        change={(name, value) => setValues((old) => ({ ...old, [name]: value }))}
      />
      <Refusal error={error} />
      <footer className="row">
        <span className="grow" />
        {cancel !== undefined && (
          <button type="button" className="btn" onClick={cancel}>
            {common.cancel}
          </button>
        )}
        <button type="submit" className="btn" data-kind={kind} aria-disabled={isSending || undefined}>
          {isSending ? common.sending : submit}
        </button>
      </footer>
    </form>
  )
}

/** The first option of a choice is selected by default. */
function firstValues(fields: readonly FormField[]): FormValues {
  return Object.fromEntries(
    fields.map(({ name, kind, options }) => [
      name,
      kind === 'checks' ? [] : kind === 'flag' ? false : kind === 'select' ? (options?.[0]?.value ?? '') : '',
    ]),
  )
}

/** A form in a dialog. */
export function FormBox({
  title,
  close,
  ...form
}: Omit<FormProps, 'cancel'> & { readonly title: string; readonly close: () => void }) {
  return (
    <Box title={title} close={close}>
      <Form {...form} cancel={close} />
    </Box>
  )
}
