import { tableKeys } from '@engine/expression'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { BASE } from '../api/client.ts'
import { useList } from '../api/data.ts'
import { ApiError } from '../api/errors.ts'
import type { components } from '../api/schema.ts'
import { useAuditTexts } from '../audit/audit-texts.ts'
import { actOf, actorOf, changedMembers } from '../audit/sentence.ts'
import { useIds, useMay } from '../frame/route-scope.ts'
import { useTime } from '../texts/texts.tsx'
import { Box } from '../ui/dialog.tsx'
import { pretty } from '../ui/json-text.ts'
import { LinesDownload } from '../ui/lines-download.tsx'
import { ListTable } from '../ui/list.tsx'
import { Page } from '../ui/page.tsx'
import { Empty, Failed } from '../ui/states.tsx'

type Entry = components['schemas']['AuditEntry']
const AUDIT = '/api/v1/orgs/{oid}/audit'
const DAY_MS = 24 * 3600 * 1000
/** Length of the selectable time ranges in milliseconds. */
const SPANS = { day: DAY_MS, week: 7 * DAY_MS, month: 30 * DAY_MS } as const

/** The filters in the address. */
export interface AuditSearch {
  readonly actor?: string
  readonly object_type?: string
  readonly project_id?: string
  readonly span?: string
}

/** The audit log as sentences: author, change, time and origin. */
export function AuditPage() {
  const texts = useAuditTexts()
  const { oid } = useIds()
  const time = useTime()
  const may = useMay('audit.read')
  const { span, ...search }: AuditSearch = useSearch({ strict: false })
  const length = span !== undefined && isSpan(span) ? SPANS[span] : undefined
  // Fixed for each filter, so that further pages request the same range.
  const from = useMemo(() => (length === undefined ? undefined : new Date(Date.now() - length).toISOString()), [length])
  const query = { ...search, ...(from !== undefined && { from }) }
  const list = useList(AUDIT, { path: { oid }, query }, { enabled: may })
  const projects = useList('/api/v1/orgs/{oid}/projects', { path: { oid } }).items ?? []
  const [shown, setShown] = useState<Entry>()
  if (!may)
    return (
      <Page title={texts.title}>
        <Failed error={new ApiError(403, { error: texts.forbidden }, null)} />
      </Page>
    )
  const lines = `${BASE}${AUDIT.replace('{oid}', oid)}?${new URLSearchParams(query).toString()}`
  return (
    <Page
      title={texts.title}
      text={texts.text}
      actions={<LinesDownload href={lines} file="audit.ndjson" label={texts.save} />}
    >
      <Filters projects={projects} />
      <ListTable
        name={texts.title}
        list={list}
        keyOf={({ id }) => id}
        columns={[
          { title: texts.at, cell: ({ at }) => <span className="muted tnum">{time(at)}</span> },
          {
            title: texts.happened,
            cell: (entry) => (
              <>
                <b>{actorOf(entry, texts)}</b> {actOf(entry, texts)}
              </>
            ),
          },
          {
            title: texts.project,
            cell: ({ project_id: pid }) => projects.find(({ id }) => id === pid)?.name ?? '',
          },
          { title: texts.address, cell: ({ ip }) => ip !== null && <span className="muted tnum">{ip}</span> },
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
      {shown !== undefined && <Details entry={shown} close={() => setShown(undefined)} />}
    </Page>
  )
}

const isSpan = (text: string): text is keyof typeof SPANS => Object.hasOwn(SPANS, text)

/** Chips that filter the entries; the filters are part of the URL. */
function Filters({ projects }: { readonly projects: readonly { readonly id: string; readonly name: string }[] }) {
  const texts = useAuditTexts()
  const search: AuditSearch = useSearch({ strict: false })
  const navigate = useNavigate()
  const filter = (name: keyof AuditSearch, value: string) =>
    void navigate({ to: '.', replace: true, search: { ...search, [name]: value === '' ? undefined : value } })
  const choices = [
    {
      name: 'object_type',
      label: texts.object,
      options: [['', texts.anything], ...Object.entries(texts.objects)],
    },
    {
      name: 'project_id',
      label: texts.project,
      options: [['', texts.anyProject], ...projects.map(({ id, name }) => [id, name])],
    },
    {
      name: 'span',
      label: texts.span,
      options: [['', texts.spans.all], ...tableKeys(SPANS).map((span) => [span, texts.spans[span]])],
    },
  ] as const
  return (
    <div className="row wrap">
      <label className="row">
        <span className="label">{texts.actor}</span>
        <input
          className="input"
          value={search.actor ?? ''}
          placeholder={texts.actorHint}
          onChange={({ target }) => filter('actor', target.value)}
        />
      </label>
      {choices.map(({ name, label, options }) => (
        <label key={name} className="row">
          <span className="label">{label}</span>
          <select className="input" value={search[name] ?? ''} onChange={({ target }) => filter(name, target.value)}>
            {options.map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </label>
      ))}
    </div>
  )
}

/** The values that an entry has changed. */
function Details({ entry, close }: { readonly entry: Entry; readonly close: () => void }) {
  const texts = useAuditTexts()
  const members = changedMembers(entry)
  return (
    <Box title={`${actorOf(entry, texts)} ${actOf(entry, texts)}`} isWide close={close}>
      {members.length === 0 ? (
        <p className="muted">{texts.noDetails}</p>
      ) : (
        <div className="scroll" tabIndex={0} role="region" aria-label={texts.details}>
          <table className="list">
            <thead>
              <tr>
                <th scope="col">{texts.member}</th>
                <th scope="col">{texts.before}</th>
                <th scope="col">{texts.after}</th>
              </tr>
            </thead>
            <tbody>
              {members.map(({ name, before, after }) => (
                <tr key={name}>
                  <td>
                    <code>{name}</code>
                  </td>
                  <td>{valueOf(before)}</td>
                  <td>{valueOf(after)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {entry.request_id !== null && (
        <p className="muted">
          {texts.request} <code>{entry.request_id}</code>
        </p>
      )}
    </Box>
  )
}

const valueOf = (value: unknown) => {
  if (value === undefined || value === null) return <span className="muted">–</span>
  return typeof value === 'string' ? value : <code>{pretty(value)}</code>
}
