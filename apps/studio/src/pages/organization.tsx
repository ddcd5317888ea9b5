import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { upload } from '../api/client.ts'
import { keyOf, useGet, useList, useSend } from '../api/data.ts'
import { ArchiveImport } from '../archives/archive-import.tsx'
import { useArchiveTexts } from '../archives/archive-texts.ts'
import { MakeButton } from '../frame/permission-button.tsx'
import { useIds, useMay, useOrganization } from '../frame/route-scope.ts'
import { paths } from '../paths.ts'
import { useTexts } from '../texts/texts.tsx'
import { Box } from '../ui/dialog.tsx'
import { Form } from '../ui/form.tsx'
import { ListTable } from '../ui/list.tsx'
import { Go, useGo } from '../ui/link.tsx'
import { Page } from '../ui/page.tsx'
import { Empty, Pending } from '../ui/states.tsx'
import { SubOrganizations } from './sub-organizations.tsx'

/** The projects of an organization, a dialog for a new project, and its sub-organizations. */
export function OrganizationPage() {
  const { projects: texts } = useTexts()
  const { oid } = useIds()
  const organization = useOrganization()
  const list = useList('/api/v1/orgs/{oid}/projects', { path: { oid } })
  const [isMaking, setMaking] = useState(false)
  const action = <MakeButton right="project.manage" label={texts.make} run={() => setMaking(true)} />
  return (
    <Page title={organization?.name ?? ''} text={texts.text} actions={action}>
      <ListTable
        name={texts.title}
        list={list}
        keyOf={({ id }) => id}
        columns={[
          { title: texts.name, cell: ({ id, name }) => <Go to={paths.overview(oid, id)}>{name}</Go> },
          { title: texts.description, cell: ({ description }) => <span className="muted">{description}</span> },
          {
            title: texts.environment,
            cell: ({ current_environment: environment }) => <span className="tag">{environment}</span>,
          },
        ]}
        empty={<Empty picture="flow" title={texts.none} text={texts.noneText} />}
      />
      {organization?.parent_org_id === null && <SubOrganizations />}
      {isMaking && <NewProject close={() => setMaking(false)} />}
    </Page>
  )
}

/** Creates a project from a template, from an archive, or empty. */
function NewProject({ close }: { readonly close: () => void }) {
  const { projects: texts } = useTexts()
  const { oid } = useIds()
  const go = useGo()
  const may = useMay('project.manage')
  const templates = useGet('/api/v1/templates', {})
  const archives = useArchiveTexts()
  const client = useQueryClient()
  const [chosen, setChosen] = useState<{ readonly id?: string; readonly name: string } | 'archive'>()
  const bare = useSend('post', '/api/v1/orgs/{oid}/projects', ['/api/v1/orgs/{oid}/projects'])
  const made = useSend('post', '/api/v1/orgs/{oid}/projects/from-template', ['/api/v1/orgs/{oid}/projects'])
  const make = async (template: string | undefined, name: string) => {
    const { id } =
      template === undefined
        ? await bare.mutateAsync({ path: { oid }, body: { name } })
        : await made.mutateAsync({ path: { oid }, body: { template_id: template, project_name: name } })
    go(paths.overview(oid, id))
  }
  return (
    <Box title={texts.make} isWide close={close}>
      {chosen === 'archive' ? (
        <ArchiveImport
          submit={archives.make}
          send={(file, type, { dry_run }) =>
            upload('/api/v1/orgs/{oid}/projects/import', { path: { oid }, query: { dry_run } }, file, type)
          }
          done={({ project }) => {
            void client.invalidateQueries({ queryKey: keyOf('/api/v1/orgs/{oid}/projects') })
            if (project !== null) go(paths.overview(oid, project.id))
          }}
        />
      ) : chosen !== undefined ? (
        <Form
          fields={[{ name: 'name', label: texts.name }]}
          initial={{ name: chosen.name }}
          submit={texts.make}
          cancel={() => setChosen(undefined)}
          send={(values) => make(chosen.id, values.name)}
        />
      ) : templates.data === undefined ? (
        <Pending of={templates} />
      ) : (
        <>
          <p className="muted">{texts.choose}</p>
          <div className="cards">
            <button type="button" className="card" disabled={!may} onClick={() => setChosen({ name: '' })}>
              <b>{texts.bare}</b>
              <span className="muted">{texts.bareText}</span>
            </button>
            <button type="button" className="card" disabled={!may} onClick={() => setChosen('archive')}>
              <b>{archives.fromArchive}</b>
              <span className="muted">{archives.fromArchiveText}</span>
            </button>
            {templates.data.items.map(({ id, name, description, contains }) => (
              <button key={id} type="button" className="card" disabled={!may} onClick={() => setChosen({ id, name })}>
                <b>{name}</b>
                <span className="muted">{description}</span>
                <span className="muted tnum">{texts.contains(contains.cases, contains.facts)}</span>
              </button>
            ))}
          </div>
        </>
      )}
    </Box>
  )
}
