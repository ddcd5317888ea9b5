import { useState } from 'react'
import { useList, useSend } from '../api/data.ts'
import type { components } from '../api/schema.ts'
import { Guarded } from '../frame/guarded.tsx'
import { useIds } from '../frame/place.ts'
import { useTexts } from '../texts/texts.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { FormBox, textOf } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { ListTable } from '../ui/list.tsx'
import { Page } from '../ui/page.tsx'
import { Empty } from '../ui/states.tsx'
import { UsedBy } from './used-by.tsx'

type Fact = components['schemas']['Fact']
const FACTS = '/api/v1/orgs/{oid}/projects/{pid}/facts'
const FACT = `${FACTS}/{name}` as const

/** Named fields that contracts share. */
export function FactsPage() {
  const { facts: texts } = useTexts()
  const { oid, pid } = useIds()
  const list = useList(FACTS, { path: { oid, pid } })
  const [open, setOpen] = useState<
    { readonly kind: 'make' } | { readonly kind: 'change' | 'remove'; readonly fact: Fact }
  >()
  const remove = useSend('delete', FACT, [FACTS])
  const close = () => setOpen(undefined)
  return (
    <Page
      title={texts.title}
      text={texts.text}
      actions={
        <Guarded right="fact.edit" kind="primary" run={() => setOpen({ kind: 'make' })}>
          <Icon name="plus" />
          {texts.make}
        </Guarded>
      }
    >
      <ListTable
        name={texts.title}
        list={list}
        keyOf={({ id }) => id}
        columns={[
          { title: texts.name, cell: ({ name }) => <code>{name}</code> },
          { title: texts.type, cell: ({ type }) => <span className="tag">{type}</span> },
          { title: texts.description, cell: ({ description }) => description },
          { title: texts.usedBy, cell: ({ used_by: uses }) => <UsedBy uses={uses} /> },
          {
            title: texts.actions,
            kind: 'actions',
            cell: (fact) => (
              <span className="row">
                <Guarded right="fact.edit" kind="quiet" run={() => setOpen({ kind: 'change', fact })}>
                  {texts.change}
                </Guarded>
                <Guarded right="fact.edit" kind="quiet" run={() => setOpen({ kind: 'remove', fact })}>
                  {texts.remove}
                </Guarded>
              </span>
            ),
          },
        ]}
        empty={<Empty icon="fact" title={texts.none} text={texts.noneText} />}
      />
      {(open?.kind === 'make' || open?.kind === 'change') && (
        <FactBox fact={open.kind === 'change' ? open.fact : undefined} close={close} />
      )}
      {open?.kind === 'remove' && (
        <Confirm
          title={texts.remove}
          text={texts.removeText(open.fact.name)}
          submit={texts.remove}
          close={close}
          send={() => remove.mutateAsync({ path: { oid, pid, name: open.fact.name } })}
        />
      )}
    </Page>
  )
}

function FactBox({ fact, close }: { readonly fact: Fact | undefined; readonly close: () => void }) {
  const { facts: texts } = useTexts()
  const { oid, pid } = useIds()
  const make = useSend('post', FACTS, [FACTS])
  const change = useSend('put', FACT, [FACTS, '/api/v1/orgs/{oid}/projects/{pid}/contracts'])
  return (
    <FormBox
      title={fact === undefined ? texts.make : texts.change}
      close={close}
      fields={[
        { name: 'name', label: texts.name, hint: texts.nameHint },
        { name: 'type', label: texts.type, hint: texts.typeHint },
        { name: 'description', label: texts.description, isOptional: true },
      ]}
      {...(fact !== undefined && { initial: { name: fact.name, type: fact.type, description: fact.description } })}
      submit={fact === undefined ? texts.make : texts.change}
      send={async (values) => {
        const body = {
          name: textOf(values, 'name'),
          type: textOf(values, 'type'),
          description: textOf(values, 'description'),
        }
        if (fact === undefined) await make.mutateAsync({ path: { oid, pid }, body })
        else
          await change.mutateAsync({
            path: { oid, pid, name: fact.name },
            body: { ...body, example: fact.example, tags: fact.tags },
          })
        close()
      }}
    />
  )
}
