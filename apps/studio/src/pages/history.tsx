import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useGet, useList, useSend } from '../api/data.ts'
import { rulesetOf } from '../api/draft-ruleset.ts'
import { Author } from '../frame/author.tsx'
import { PermissionButton } from '../frame/permission-button.tsx'
import { useIds, useParameter } from '../frame/route-scope.ts'
import { paths } from '../paths.ts'
import { ChangeWords } from '../save-diff/change-words.tsx'
import { useTexts, useTime } from '../texts/texts.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { ListTable } from '../ui/list.tsx'
import { Go, useGo } from '../ui/link.tsx'
import { Page } from '../ui/page.tsx'
import { Pending } from '../ui/states.tsx'

const RULESET = '/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}'

/** The save whose changes are displayed. */
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
  const path = { ...useIds(), name }
  const save = (seq: number) => ({ path: { ...path, seq: String(seq) } })
  const before = useGet(`${RULESET}/saves/{seq}`, save(from))
  const after = useGet(`${RULESET}/saves/{seq}`, save(to))
  const found = useGet(`${RULESET}/diff`, { path, query: { from, to } })
  if (found.data === undefined || before.data === undefined || after.data === undefined)
    return <Pending of={found.data === undefined ? found : before.data === undefined ? before : after} />
  return (
    <section className="card">
      <header>
        <h2>{texts.changes(to)}</h2>
      </header>
      <div className="body stack">
        <ChangeWords diff={found.data} before={rulesetOf(before.data)} after={rulesetOf(after.data)} />
      </div>
    </section>
  )
}
