import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useGet, useList, useSend } from '../api/data.ts'
import { Author } from '../frame/author.tsx'
import { PermissionButton } from '../frame/permission-button.tsx'
import { useIds, useParameter } from '../frame/route-scope.ts'
import { paths } from '../paths.ts'
import { useTexts, useTime } from '../texts/texts.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { ChangeSides } from '../ui/change-sides.tsx'
import { ListTable } from '../ui/list.tsx'
import { Go, useGo } from '../ui/link.tsx'
import { Page } from '../ui/page.tsx'
import { Pending } from '../ui/states.tsx'

const RULESET = '/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}'

/** The save whose changes are shown. */
export interface HistorySearch {
  readonly seq?: number
}

/** Every save of a draft, and its changes. */
export function HistoryPage() {
  const { history: texts } = useTexts()
  const { oid, pid } = useIds()
  const name = useParameter('name')
  const { seq }: HistorySearch = useSearch({ strict: false })
  const navigate = useNavigate()
  const go = useGo()
  const time = useTime()
  const path = { oid, pid, name }
  const list = useList(`${RULESET}/saves`, { path })
  const restore = useSend('post', `${RULESET}/saves/{seq}/restore`, [`${RULESET}/saves`, RULESET])
  const [restored, setRestored] = useState<number>()
  const newest = list.items?.[0]?.seq
  const shown = seq ?? newest
  return (
    <Page title={texts.title(name)} text={<Go to={paths.ruleset(oid, pid, name)}>{texts.back}</Go>}>
      <ListTable
        name={texts.saves}
        list={list}
        keyOf={(save) => String(save.seq)}
        columns={[
          { title: texts.save, cell: (save) => <b className="tnum">{texts.draft(save.seq)}</b> },
          { title: texts.at, cell: ({ at }) => <span className="tnum">{time(at)}</span> },
          { title: texts.by, cell: ({ by }) => <Author id={by} /> },
          {
            title: texts.actions,
            kind: 'actions',
            cell: (save) => (
              <span className="row">
                <button
                  type="button"
                  className="btn"
                  data-kind="quiet"
                  aria-pressed={save.seq === shown}
                  onClick={() => void navigate({ to: '.', replace: true, search: { seq: save.seq } })}
                >
                  {texts.show}
                </button>
                {save.seq > 1 && (
                  <Go to={paths.compare(oid, pid, name)} search={{ from: save.seq - 1, to: save.seq }} className="btn">
                    {texts.sideBySide}
                  </Go>
                )}
                {save.seq !== newest && (
                  <PermissionButton right="ruleset.edit" kind="quiet" run={() => setRestored(save.seq)}>
                    {texts.restore}
                  </PermissionButton>
                )}
              </span>
            ),
          },
        ]}
        empty={null}
      />
      {shown !== undefined && shown > 1 && <Changes name={name} from={shown - 1} to={shown} />}
      {restored !== undefined && newest !== undefined && (
        <Confirm
          title={texts.restore}
          text={texts.restoreText(restored)}
          submit={texts.restore}
          close={() => setRestored(undefined)}
          send={async () => {
            await restore.mutateAsync({ path: { ...path, seq: String(restored) }, body: { expected_seq: newest } })
            go(paths.ruleset(oid, pid, name))
          }}
        />
      )}
    </Page>
  )
}

function Changes({ name, from, to }: { readonly name: string; readonly from: number; readonly to: number }) {
  const { history: texts } = useTexts()
  const { oid, pid } = useIds()
  const found = useGet(`${RULESET}/diff`, { path: { oid, pid, name }, query: { from, to } })
  if (found.data === undefined) return <Pending of={found} />
  const { config, steps_added: added, steps_removed: removed, steps_changed: changed } = found.data
  const all = [...config.map((one) => ({ id: texts.settings, ...one })), ...changed]
  return (
    <section className="card">
      <header>
        <h2>{texts.changes(to)}</h2>
        {added.map((id) => (
          <span key={id} className="tag" data-tone="ok">
            + {id}
          </span>
        ))}
        {removed.map((id) => (
          <span key={id} className="tag" data-tone="bad">
            − {id}
          </span>
        ))}
      </header>
      <div className="body stack">
        {all.length === 0 && <p className="muted">{texts.none}</p>}
        {all.map(({ id, path, before, after }) => (
          <div key={id + path}>
            <p>
              <b>{id}</b> <code className="muted">{path}</code>
            </p>
            <ChangeSides path={path} before={before} after={after} absent={texts.absent} />
          </div>
        ))}
      </div>
    </section>
  )
}
