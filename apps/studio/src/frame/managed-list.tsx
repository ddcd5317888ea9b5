import { type ReactNode, useState } from 'react'
import type { ListOf } from '../api/data.ts'
import { Confirm } from '../ui/confirm.tsx'
import { type ListColumn, ListTable } from '../ui/list.tsx'
import { Page } from '../ui/page.tsx'
import { PermissionButton, MakeButton } from './permission-button.tsx'
import type { Action } from './route-scope.ts'

interface ManagedTexts {
  readonly title: string
  readonly text: string
  readonly make: string
  readonly change: string
  readonly remove: string
  readonly removeText: (name: string) => string
  readonly actions: string
}

/** A list page whose items are created, changed and removed in dialogs, with one permission. */
export function ManagedList<Item extends { readonly id: string; readonly name: string }>({
  right,
  texts,
  tabs,
  list,
  columns,
  empty,
  fixed = () => undefined,
  more = () => null,
  form,
  remove,
  children,
}: {
  readonly right: Action
  readonly texts: ManagedTexts
  readonly tabs?: ReactNode
  readonly list: ListOf<Item>
  readonly columns: readonly ListColumn<Item>[]
  readonly empty: ReactNode
  /** Shown instead of the buttons of an item; undefined for an item with buttons. */
  readonly fixed?: (item: Item) => ReactNode
  /** Further buttons of an item. */
  readonly more?: (item: Item) => ReactNode
  /** The dialog that changes an item or, without one, creates an item. */
  readonly form: (item: Item | undefined, close: () => void) => ReactNode
  readonly remove: (item: Item) => Promise<unknown>
  /** Shown below the list. */
  readonly children?: ReactNode
}) {
  const [open, setOpen] = useState<
    { readonly kind: 'make' } | { readonly kind: 'change' | 'remove'; readonly item: Item }
  >()
  const close = () => setOpen(undefined)
  const button = (item: Item, kind: 'change' | 'remove') => (
    <PermissionButton right={right} kind="quiet" run={() => setOpen({ kind, item })}>
      {texts[kind]}
    </PermissionButton>
  )
  return (
    <Page
      title={texts.title}
      text={texts.text}
      tabs={tabs}
      actions={<MakeButton right={right} label={texts.make} run={() => setOpen({ kind: 'make' })} />}
    >
      <ListTable
        name={texts.title}
        list={list}
        keyOf={({ id }) => id}
        columns={[
          ...columns,
          {
            title: texts.actions,
            kind: 'actions',
            cell: (item) =>
              fixed(item) ?? (
                <span className="row">
                  {button(item, 'change')}
                  {more(item)}
                  {button(item, 'remove')}
                </span>
              ),
          },
        ]}
        empty={empty}
      />
      {children}
      {open?.kind === 'make' && form(undefined, close)}
      {open?.kind === 'change' && form(open.item, close)}
      {open?.kind === 'remove' && (
        <Confirm
          title={texts.remove}
          text={texts.removeText(open.item.name)}
          submit={texts.remove}
          close={close}
          send={() => remove(open.item)}
        />
      )}
    </Page>
  )
}
