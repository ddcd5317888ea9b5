import { useList } from '../api/data.ts'
import type { components } from '../api/schema.ts'
import { MakeButton } from '../frame/permission-button.tsx'
import { useIds } from '../frame/route-scope.ts'
import { paths } from '../paths.ts'
import { useTexts, useTime } from '../texts/texts.tsx'
import { ListTable } from '../ui/list.tsx'
import { Go, useGo } from '../ui/link.tsx'
import { Page } from '../ui/page.tsx'
import { Empty } from '../ui/states.tsx'

type Status = components['schemas']['Release']['status']

const TONES: Readonly<Record<Status, string>> = {
  pending_approval: 'warn',
  approved: 'accent',
  rejected: 'bad',
  cancelled: '',
  executing: 'accent',
  paused: 'warn',
  completed: 'ok',
  failed: 'bad',
  rolling_back: 'warn',
  rolled_back: 'warn',
  rollback_failed: 'bad',
}

/** The state of a release, by colour and word. */
export function StatusTag({ status }: { readonly status: Status }) {
  const { releases: texts } = useTexts()
  return (
    <span className="tag" data-tone={TONES[status]}>
      {texts.statuses[status]}
    </span>
  )
}

/** Releases, the newest first. */
export function ReleasesPage() {
  const { releases: texts } = useTexts()
  const { oid, pid } = useIds()
  const time = useTime()
  const go = useGo()
  const list = useList('/api/v1/orgs/{oid}/projects/{pid}/releases', { path: { oid, pid } })
  const action = <MakeButton right="release.create" label={texts.make} run={() => go(paths.newRelease(oid, pid))} />
  return (
    <Page title={texts.title} text={texts.text} actions={action}>
      <ListTable
        name={texts.title}
        list={list}
        keyOf={({ id }) => id}
        columns={[
          { title: texts.number, kind: 'number', cell: ({ number }) => number },
          { title: texts.name, cell: ({ id, title }) => <Go to={paths.release(oid, pid, id)}>{title}</Go> },
          {
            title: texts.rulesets,
            cell: ({ rulesets }) => (
              <code>{rulesets.map(({ name, version }) => `${name} ${version ?? ''}`).join(', ')}</code>
            ),
          },
          { title: texts.environments, cell: ({ environments }) => environments.join(', ') },
          { title: texts.status, cell: ({ status }) => <StatusTag status={status} /> },
          { title: texts.at, cell: ({ created_at: at }) => <span className="muted tnum">{time(at)}</span> },
        ]}
        empty={<Empty picture="road" title={texts.none} text={texts.noneText} />}
      />
    </Page>
  )
}
