import type { BadRequest } from './bad-input.testing.ts'

/** Archives and templates that must be refused: data for bad-input.test.ts. */

const NEW = 'POST /api/v1/orgs/{org}/projects/import'
const INTO = 'POST /api/v1/projects/{project}/import'
const FROM = 'POST /api/v1/orgs/{org}/projects/from-template'
const files = (path: string, text: string) => ({ files: [{ path, text }] })

export const BAD_ARCHIVES: readonly BadRequest[] = [
  { title: 'no files', route: NEW, body: {}, status: 400, at: '/files' },
  {
    title: 'more files than are read, with members that are none',
    route: INTO,
    body: { files: Array.from({ length: 20_001 }, () => ({ x: 1 })) },
    status: 400,
    at: '/files',
    says: 'at most',
  },
  { title: 'no project', route: NEW, body: { files: [] }, status: 400, at: 'project.json#', kind: 'missing-file' },
  {
    title: 'a project that is not JSON',
    route: INTO,
    body: files('project.json', '{'),
    status: 400,
    at: 'project.json#',
    kind: 'unreadable',
  },
  {
    title: 'a project of a later form',
    route: INTO,
    body: files('project.json', '{"format":2,"name":"a","current_environment":"a","environments":[{"name":"a"}]}'),
    status: 400,
    at: 'project.json#/format',
    kind: 'later-format',
  },
  {
    title: 'a missing template',
    route: FROM,
    body: { template_id: 'x', project_name: 'a' },
    status: 400,
    at: '/template_id',
  },
  {
    title: 'a project of a template without a name',
    route: FROM,
    body: { template_id: 'tax', project_name: ' ' },
    status: 400,
    at: '/project_name',
  },
]
