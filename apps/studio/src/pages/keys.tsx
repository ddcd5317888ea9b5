import { useState } from 'react'
import { useList, useSend } from '../api/data.ts'
import type { components } from '../api/schema.ts'
import { PermissionButton, MakeButton } from '../frame/permission-button.tsx'
import { useIds } from '../frame/route-scope.ts'
import { useTime } from '../texts/texts.tsx'
import { usePageTexts } from '../texts/page-texts.ts'
import { Confirm } from '../ui/confirm.tsx'
import { ListTable } from '../ui/list.tsx'
import { Page } from '../ui/page.tsx'
import { Empty } from '../ui/states.tsx'
import { NewKey } from './new-key.tsx'

type Key = components['schemas']['ApiKey']
const KEYS = '/api/v1/orgs/{oid}/api-keys'

/** API keys of programs. */
export function KeysPage() {
  const { keysPage: texts, rightNames } = usePageTexts()
  const { oid } = useIds()
  const time = useTime()
  const list = useList(KEYS, { path: { oid } })
  const [open, setOpen] = useState<{ readonly kind: 'make' } | { readonly kind: 'revoke'; readonly key: Key }>()
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
          { title: texts.rights, cell: ({ scopes }) => scopes.map((right) => rightNames[right]).join(', ') },
          {
            title: texts.projects,
            cell: ({ project_ids: ids }) => (ids === null ? texts.everywhere : texts.several(ids.length)),
          },
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
      {open?.kind === 'make' && <NewKey close={close} />}
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
