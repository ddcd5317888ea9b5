import { useState } from 'react'
import { useSend } from '../api/data.ts'
import { useIds } from '../frame/route-scope.ts'
import { useTexts } from '../texts/texts.tsx'
import { CodeBlock } from '../ui/code-block.tsx'
import { Box } from '../ui/dialog.tsx'
import { FormBox } from '../ui/form.tsx'
import { useRightField } from './right-field.ts'

const KEYS = '/api/v1/orgs/{oid}/api-keys'

/** Makes an API key, and shows it the only time. */
export function NewKey({ close }: { readonly close: () => void }) {
  const { keysPage: texts } = useTexts()
  const { oid } = useIds()
  const rights = useRightField('scopes', texts.rights)
  const make = useSend('post', KEYS, [KEYS])
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
      fields={[{ name: 'name', label: texts.name }, rights]}
      initial={{ scopes: ['decision.execute'] }}
      submit={texts.make}
      send={async (values) => {
        const body = { name: values.name, scopes: values.scopes }
        const { token: made } = await make.mutateAsync({ path: { oid }, body })
        setToken(made)
      }}
    />
  )
}
