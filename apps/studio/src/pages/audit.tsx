import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useList } from '../api/data.ts'
import type { components } from '../api/schema.ts'
import { useIds, useMay } from '../frame/route-scope.ts'
import { useTexts, useTime } from '../texts/texts.tsx'
import { Box } from '../ui/dialog.tsx'
import { ListTable } from '../ui/list.tsx'
import { Page } from '../ui/page.tsx'
import { Empty, Failed } from '../ui/states.tsx'
import { ApiError } from '../api/errors.ts'

type Entry = components['schemas']['AuditEntry']

/** The filters in the address. */
export interface AuditSearch {
  readonly action?: string
  readonly object_type?: string
}

/** The audit: who changed what, when and from where. */
export function AuditPage() {
  const { audit: texts } = useTexts()
  const { oid } = useIds()
  const time = useTime()
  const may = useMay('audit.read')
  const search: AuditSearch = useSearch({ strict: false })
  const navigate = useNavigate()
  const list = useList('/api/v1/orgs/{oid}/audit', { path: { oid }, query: { ...search } }, { enabled: may })
  const [shown, setShown] = useState<Entry>()
  const filter = (name: keyof AuditSearch, value: string) =>
    void navigate({ to: '.', replace: true, search: { ...search, [name]: value === '' ? undefined : value } })
  if (!may)
    return (
      <Page title={texts.title}>
        <Failed error={new ApiError(403, { error: texts.forbidden }, null)} />
      </Page>
    )
  return (
    <Page title={texts.title} text={texts.text}>
      <div className="row wrap">
        <Filter
          label={texts.action}
          value={search.action}
          hint="draft.updated"
          change={(value) => filter('action', value)}
        />
        <Filter
          label={texts.object}
          value={search.object_type}
          hint="draft"
          change={(value) => filter('object_type', value)}
        />
      </div>
      <ListTable
        name={texts.title}
        list={list}
        keyOf={({ id }) => id}
        columns={[
          { title: texts.at, cell: ({ at }) => <span className="tnum">{time(at)}</span> },
          { title: texts.actor, cell: ({ actor }) => actor.name },
          { title: texts.action, cell: ({ action }) => <code>{action}</code> },
          { title: texts.object, cell: ({ object }) => object.name },
          { title: texts.address, cell: ({ ip }) => <span className="muted tnum">{ip}</span> },
          {
            title: texts.details,
            kind: 'actions',
            cell: (entry) => (
              <button type="button" className="btn" data-kind="quiet" onClick={() => setShown(entry)}>
                {texts.details}
              </button>
            ),
          },
        ]}
        empty={<Empty picture="search" title={texts.none} text={texts.noneText} />}
      />
      {shown !== undefined && (
        <Box title={`${shown.action} · ${shown.object.name}`} isWide close={() => setShown(undefined)}>
          <div className="sides" data-two="">
            <div className="cap">{texts.before}</div>
            <div className="cap">{texts.after}</div>
            <div>
              <code>{pretty(shown.before)}</code>
            </div>
            <div>
              <code>{pretty(shown.after)}</code>
            </div>
          </div>
        </Box>
      )}
    </Page>
  )
}

const pretty = (value: unknown) => (value === null || value === undefined ? '–' : JSON.stringify(value, null, 2))

function Filter({
  label,
  value = '',
  hint,
  change,
}: {
  readonly label: string
  readonly value: string | undefined
  readonly hint: string
  readonly change: (value: string) => void
}) {
  return (
    <label className="row">
      <span className="label">{label}</span>
      <input
        className="input"
        style={{ width: 200 }}
        value={value}
        placeholder={hint}
        onChange={({ target }) => change(target.value)}
      />
    </label>
  )
}
