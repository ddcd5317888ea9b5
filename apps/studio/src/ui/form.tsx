import { type FormEvent, useId, useState } from 'react'
import { errorOf, ApiError } from '../api/errors.ts'
import { useTexts } from '../texts/texts.tsx'
import { Box } from './dialog.tsx'
import type { FormField, FormProps } from './form-fields.ts'
import { chosenIn, type Entries, firstValues, sentValues } from './form-values.ts'
import { Refusal } from './states.tsx'

interface FieldsProps {
  readonly fields: readonly FormField[]
  readonly values: Entries
  readonly change: (name: string, value: string | readonly string[] | boolean) => void
  readonly error?: Error | null
  readonly takesFocus: boolean
}

/** The fields of a form; an error is shown at the field that it names. */
function Fields({ fields, values, change, error, takesFocus }: FieldsProps) {
  const id = useId()
  const faults = error instanceof ApiError ? error.details : []
  return fields.map((field, index) => {
    const { name, label, hint, kind = 'text', pointer = `/${name}` } = field
    const own = faults.find(({ path }) => path === pointer || path.startsWith(`${pointer}/`))?.message
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
      return field.options?.length === 0 ? null : (
        <fieldset key={name} className="checks">
          <legend className="label">{label}</legend>
          {hint !== undefined && <span className="muted">{hint}</span>}
          {field.options?.map(({ value, label: words }) => (
            <label key={value}>
              <input
                type="checkbox"
                checked={chosenIn(values, name).includes(value)}
                onChange={({ target }) => {
                  const others = chosenIn(values, name).filter((one) => one !== value)
                  change(name, target.checked ? [...others, value] : others)
                }}
              />
              {words}
            </label>
          ))}
          {own !== undefined && <span className="bad">{own}</span>}
        </fieldset>
      )
    const shared = {
      id: `${id}${name}`,
      className: 'input',
      value: String(values[name] ?? ''),
      required: field.isOptional !== true,
      autoFocus: takesFocus && index === 0,
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

/** Fields and a submit button, which is disabled while the form is being sent. */
export function Form<const Fields extends readonly FormField[]>({
  fields,
  initial,
  submit,
  send,
  kind = 'primary',
  cancel,
  takesFocus = true,
  children,
}: FormProps<Fields>) {
  const { common } = useTexts()
  const [values, setValues] = useState<Entries>(() => ({ ...firstValues(fields), ...initial }))
  const [error, setError] = useState<Error | null>(null)
  const [isSending, setSending] = useState(false)
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (isSending) return
    setSending(true)
    setError(null)
    send(sentValues(fields, values))
      .catch((thrown: unknown) => setError(errorOf(thrown)))
      .finally(() => setSending(false))
  }
  return (
    <form onSubmit={onSubmit}>
      {children}
      <Fields
        fields={fields}
        values={values}
        error={error}
        takesFocus={takesFocus}
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

/** A form in a dialog. */
export function FormBox<const Fields extends readonly FormField[]>({
  title,
  close,
  ...form
}: Omit<FormProps<Fields>, 'cancel'> & { readonly title: string; readonly close: () => void }) {
  return (
    <Box title={title} close={close}>
      <Form {...form} cancel={close} />
    </Box>
  )
}
