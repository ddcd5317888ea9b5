import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { BASE, upload } from '../api/client.ts'
import { PermissionButton } from '../frame/permission-button.tsx'
import { useIds } from '../frame/route-scope.ts'
import { Box } from '../ui/dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import { ArchiveImport } from './archive-import.tsx'
import { useArchiveTexts } from './archive-texts.ts'

/** Downloads the project as files, and brings it to the state of an archive. */
export function ProjectArchive() {
  const texts = useArchiveTexts()
  const { oid, pid } = useIds()
  const client = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const [isDone, setDone] = useState(false)
  const close = () => setOpen(false)
  return (
    <section className="card">
      <header>
        <h2>{texts.title}</h2>
      </header>
      <div className="body stack">
        <p className="muted">{texts.text}</p>
        <div className="row wrap">
          <a className="btn" href={`${BASE}/api/v1/orgs/${oid}/projects/${pid}/export`} download>
            <Icon name="download" size={14} />
            {texts.download}
          </a>
          <PermissionButton right="project.manage" run={() => setOpen(true)}>
            {texts.restore}
          </PermissionButton>
        </div>
        <p role="status">{isDone && texts.done}</p>
      </div>
      {isOpen && (
        <Box title={texts.restore} close={close}>
          <p className="muted">{texts.restoreText}</p>
          <ArchiveImport
            submit={texts.apply}
            canPrune
            send={(file, type, query) =>
              upload('/api/v1/orgs/{oid}/projects/{pid}/import', { path: { oid, pid }, query }, file, type)
            }
            done={() => {
              // The import may have changed any part of the project.
              void client.invalidateQueries()
              setDone(true)
              close()
            }}
          />
        </Box>
      )}
    </section>
  )
}
