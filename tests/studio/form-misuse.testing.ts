import type { FormField, FormProps } from '../../apps/studio/src/ui/form-fields.ts'

/** The signature of `Form`. */
type TypedForm = <const Fields extends readonly FormField[]>(props: FormProps<Fields>) => void

/**
 * Held by the compiler: each line after `@ts-expect-error` is a misuse of a form, and one that compiled would be an error here.
 * Never called.
 */
export function misuseOfForm(form: TypedForm, put: (body: { name: string; roles: string[] }) => Promise<void>): void {
  const fields = [
    { name: 'name', label: 'Name' },
    { name: 'roles', label: 'Roles', kind: 'checks', options: [{ value: 'viewer', label: 'Viewer' }] },
    { name: 'kind', label: 'Kind', kind: 'select', options: [{ value: 'input', label: 'Input' }] },
    { name: 'enabled', label: 'Enabled', kind: 'flag' },
  ] as const satisfies readonly FormField[]
  const submit = 'Save'
  // Each member has the type of its field.
  form({ fields, submit, initial: { name: 'a', roles: ['viewer'] }, send: ({ name, roles }) => put({ name, roles }) })
  form({
    fields,
    submit,
    send: ({ enabled, kind }) => put({ name: kind satisfies 'input', roles: enabled ? [] : ['a'] }),
  })

  // @ts-expect-error a misspelt value
  form({ fields, submit, send: ({ nmae }) => put({ name: nmae, roles: [] }) })
  // @ts-expect-error a misspelt member of the body
  form({ fields, submit, send: ({ name, roles }) => put({ nmae: name, roles }) })
  // @ts-expect-error a misspelt initial value
  form({ fields, submit, initial: { nmae: 'a' }, send: ({ name, roles }) => put({ name, roles }) })
  // @ts-expect-error a list where the body has a text
  form({ fields, submit, send: ({ roles }) => put({ name: roles, roles }) })
  // @ts-expect-error a flag where the body has a text
  form({ fields, submit, send: ({ enabled, roles }) => put({ name: enabled, roles }) })
  // @ts-expect-error an initial choice that is not an option
  form({ fields, submit, initial: { kind: 'output' }, send: ({ name, roles }) => put({ name, roles }) })
}
