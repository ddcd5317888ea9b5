import { useState } from 'react'
import { useList, useSend } from '../api/data.ts'
import { RulesetTabs } from '../frame/page-tabs.tsx'
import { PermissionButton } from '../frame/permission-button.tsx'
import { useIds } from '../frame/route-scope.ts'
import { paths } from '../paths.ts'
import { useTexts, useTime } from '../texts/texts.tsx'
import { Icon } from '../ui/icon.tsx'
import { Go } from '../ui/link.tsx'
import { ListTable } from '../ui/list.tsx'
import { Page } from '../ui/page.tsx'
import { Empty, Refusal } from '../ui/states.tsx'

const RULESETS = '/api/v1/orgs/{oid}/projects/{pid}/rulesets'

/** Deleted rulesets, which can be restored. */
export function DeletedRulesetsPage() {
  const { rulesets: texts } = useTexts()
  const { oid, pid } = useIds()
  const time = useTime()
  const list = useList(RULESETS, { path: { oid, pid }, query: { deleted: true } })
  const restore = useSend('post', `${RULESETS}/{name}/restore`, [RULESETS])
  const [restored, setRestored] = useState<string>()
  return (
    <Page title={texts.deletedTitle} text={texts.deletedText} tabs={<RulesetTabs />}>
      <div role="status">
        {restored !== undefined && (
          <p className="note" data-tone="ok">
            <Icon name="ok" />
            <span>
              {texts.restored(restored)} <Go to={paths.ruleset(oid, pid, restored)}>{restored}</Go>
            </span>
          </p>
        )}
      </div>
      <Refusal error={restore.error} />
      <ListTable
        name={texts.deletedTitle}
        list={list}
        keyOf={({ name, updated_at: at }) => `${name} ${at}`}
        columns={[
          {
            title: texts.name,
            cell: ({ name, description }) => (
              <>
                <b>{name}</b>
                <div className="muted">{description}</div>
              </>
            ),
          },
          { title: texts.version, cell: ({ version }) => <code>{version}</code> },
          {
            title: texts.deletedAt,
            cell: ({ seq, updated_at: at }) => (
              <span className="tnum">
                {texts.draft(seq)}, {time(at)}
              </span>
            ),
          },
          {
            title: texts.actions,
            kind: 'actions',
            cell: ({ name }) => (
              <PermissionButton
                right="ruleset.edit"
                kind="quiet"
                run={() => restore.mutate({ path: { oid, pid, name } }, { onSuccess: () => setRestored(name) })}
              >
                {texts.restore}
              </PermissionButton>
            ),
          },
        ]}
        empty={<Empty picture="flow" title={texts.noneDeleted} text={texts.noneDeletedText} />}
      />
    </Page>
  )
}
