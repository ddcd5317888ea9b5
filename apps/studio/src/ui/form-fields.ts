import type { ReactNode } from 'react'

/** A field of a form. */
export interface FormField {
  /** The member of the request body; errors about it are shown at the field. */
  readonly name: string
  readonly label: string
  /** The JSON pointer in errors about the field, if it differs from the member name. */
  readonly pointer?: string
  readonly hint?: string
  readonly kind?: 'text' | 'email' | 'password' | 'number' | 'area' | 'select' | 'checks' | 'flag'
  readonly options?: readonly { readonly value: string; readonly label: string }[]
  readonly isOptional?: boolean
  readonly autoComplete?: string
}

type OptionOf<Field> = Field extends { readonly options: readonly { readonly value: infer Value }[] } ? Value : string

type ValueOf<Field> = Field extends { readonly kind: 'flag' }
  ? boolean
  : Field extends { readonly kind: 'checks' }
    ? OptionOf<Field>[]
    : Field extends { readonly kind: 'select' }
      ? OptionOf<Field>
      : string

/**
 * The values of fields by name: a boolean for a `flag`, the selected options for `checks`, otherwise trimmed text.
 * Names without a field do not compile (tests/studio/form-misuse.testing.ts).
 */
export type ValuesOf<Fields extends readonly FormField[]> = {
  -readonly [Field in Fields[number] as Field['name']]: ValueOf<Field>
}

/** Initial values. */
type InitialValues<Values> = {
  readonly [Name in keyof Values]?: Values[Name] extends readonly (infer Value)[] ? readonly Value[] : Values[Name]
}

/** The fields of a form, and the handler of their values. */
export interface FormProps<Fields extends readonly FormField[]> {
  readonly fields: Fields
  readonly initial?: InitialValues<ValuesOf<Fields>>
  readonly submit: string
  readonly send: (values: ValuesOf<Fields>) => Promise<unknown>
  readonly kind?: 'primary' | 'bad'
  readonly cancel?: () => void
  /** Whether the first field takes the focus when the form is shown; default: true. */
  readonly takesFocus?: boolean
  readonly children?: ReactNode
}
