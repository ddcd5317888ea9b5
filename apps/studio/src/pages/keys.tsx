import { useState } from 'react'
import { useList, useSend } from '../api/data.ts'
import type { components } from '../api/schema.ts'
import { PermissionButton, MakeButton } from '../frame/permission-button.tsx'
import { useIds } from '../frame/route-scope.ts'
import { useTexts, useTime } from '../texts/texts.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { CodeBlock } from '../ui/code-block.tsx'
import { Box } from '../ui/dialog.tsx'
import { FormBox } from '../ui/form.tsx'
import { ListTable } from '../ui/list.tsx'
import { Page } from '../ui/page.tsx'
import { Empty } from '../ui/states.tsx'
import { useRightField } from './right-field.ts'

type Key = components['schemas']['ApiKey']
const KEYS = '/api/v1/orgs/{oid}/api-keys'

/** API keys of programs. */
export function KeysPage() {
  const { keysPage: texts } = useTexts()
  const { oid } = useIds()
  const time = useTime()
  const list = useList(KEYS, { path: { oid } })
  const [open, setOpen] = useState<
    | { readonly kind: 'make' }
    | { readonly kind: 'made'; readonly token: string }
    | { readonly kind: 'revoke'; readonly key: Key }
  >()
  const revoke = useSend('delete', '/api/v1/orgs/{oid}/api-keys/{id}', [KEYS])
  const close = () => setOpen(undefined)
  return (
    <Page
      title={texts.title}
      text={texts.text}
      actions={<MakeButton right="token.manage" label={texts.make} run={() => setOpen({ kind: 'make' })} />}
    >
      <ListTable
        name={texts.title}
        list={list}
        keyOf={({ id }) => id}
        columns={[
          { title: texts.name, cell: ({ name }) => <b>{name}</b> },
          { title: texts.prefix, cell: ({ prefix }) => <code>{prefix}…</code> },
          { title: texts.rights, cell: ({ scopes }) => <code>{scopes.join(', ')}</code> },
          { title: texts.used, cell: ({ last_used_at: used }) => <span className="muted tnum">{time(used)}</span> },
          { title: texts.expires, cell: ({ expires_at: end }) => <span className="muted tnum">{time(end)}</span> },
          {
            title: texts.revoke,
            kind: 'actions',
            cell: (key) => (
              <PermissionButton right="token.manage" kind="quiet" run={() => setOpen({ kind: 'revoke', key })}>
                {texts.revoke}
              </PermissionButton>
            ),
          },
        ]}
        empty={<Empty picture="key" title={texts.none} text={texts.noneText} />}
      />
      {open?.kind === 'make' && <NewKey close={close} done={(token) => setOpen({ kind: 'made', token })} />}
      {open?.kind === 'made' && (
        <Box title={texts.made} close={close}>
          <p>{texts.once}</p>
          <CodeBlock text={open.token} label={texts.made} />
        </Box>
      )}
      {open?.kind === 'revoke' && (
        <Confirm
          title={texts.revoke}
          text={texts.revokeText(open.key.name)}
          submit={texts.revoke}
          close={close}
          send={() => revoke.mutateAsync({ path: { oid, id: open.key.id } })}
        />
      )}
    </Page>
  )
}

function NewKey({ close, done }: { readonly close: () => void; readonly done: (token: string) => void }) {
  const { keysPage: texts } = useTexts()
  const { oid } = useIds()
  const rights = useRightField('scopes', texts.rights)
  const make = useSend('post', KEYS, [KEYS])
  return (
    <FormBox
      title={texts.make}
      close={close}
      fields={[{ name: 'name', label: texts.name }, rights]}
      initial={{ scopes: ['decision.execute'] }}
      submit={texts.make}
      send={async (values) => {
        const body = { name: values.name, scopes: values.scopes }
        const { token } = await make.mutateAsync({ path: { oid }, body })
        done(token)
      }}
    />
  )
}
