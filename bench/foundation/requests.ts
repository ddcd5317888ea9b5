import type { RequestsOf } from '../loop-delay/requests.ts'
import { ofEngines } from './engines.ts'
import { ofPeople } from './people.ts'
import { ofAudit, ofProjects, ofWholeProjects } from './projects.ts'
import { ofProxy } from './proxy.ts'

/** The measured requests. */
export const PARTS: Readonly<Record<string, RequestsOf>> = {
  People: ofPeople,
  Projects: ofProjects,
  'Whole projects': ofWholeProjects,
  Audit: ofAudit,
  Engines: ofEngines,
  Proxy: ofProxy,
}
