import { tableKeys } from '@engine/expression'
import { useState } from 'react'
import { useList, useSend } from '../api/data.ts'
import { useIds } from '../frame/route-scope.ts'
import { usePageTexts } from '../texts/page-texts.ts'
import { CodeBlock } from '../ui/code-block.tsx'
import { Box } from '../ui/dialog.tsx'
import { FormBox } from '../ui/form.tsx'
import { useRightField } from './right-field.ts'

const KEYS = '/api/v1/orgs/{oid}/api-keys'

const DAY_MS = 24 * 3600 * 1000
/** Lifetimes of a key in days; null for no expiry. */
const DAYS = { never: null, month: 30, quarter: 90, year: 365 } as const

/** Creates an API key, and shows it once. */
export function NewKey({ close }: { readonly close: () => void }) {
  const { keysPage: texts } = usePageTexts()
  const { oid } = useIds()
  const rights = useRightField('scopes', texts.rights)
  const make = useSend('post', KEYS, [KEYS])
  const projects = useList('/api/v1/orgs/{oid}/projects', { path: { oid } }).items ?? []
  const [token, setToken] = useState<string>()
  if (token !== undefined)
    return (
      <Box title={texts.made} close={close}>
        <p>{texts.once}</p>
        <CodeBlock text={token} label={texts.made} />
      </Box>
    )
  return (
    <FormBox
      title={texts.make}
      close={close}
      fields={[
        { name: 'name', label: texts.name },
        {
          name: 'ends',
          label: texts.ends,
          kind: 'select',
          pointer: '/expires_at',
          options: tableKeys(DAYS).map((value) => ({ value, label: texts.spans[value] })),
        },
        rights,
        {
          name: 'project_ids',
          label: texts.reach,
          kind: 'checks',
          options: projects.map(({ id, name }) => ({ value: id, label: name })),
        },
      ]}
      initial={{ scopes: ['decision.execute'] }}
      submit={texts.make}
      send={async (values) => {
        const days = DAYS[values.ends]
        const body = {
          name: values.name,
          scopes: values.scopes,
          ...(values.project_ids.length > 0 && { project_ids: values.project_ids }),
          ...(days !== null && { expires_at: new Date(Date.now() + days * DAY_MS).toISOString() }),
        }
        const { token: made } = await make.mutateAsync({ path: { oid }, body })
        setToken(made)
      }}
    />
  )
}
