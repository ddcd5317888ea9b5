export const subOrganizations = {
  title: 'Sub-organizations',
  text: 'Each has its own projects, people and engines. Owners and administrators of this organization keep their role in them.',
  make: 'New sub-organization',
  name: 'Name',
  description: 'Description',
  projects: 'Projects',
  members: 'Members',
  noAccess: 'no access',
  none: 'There is no sub-organization yet. A department or a client can have projects and people of its own.',
}

export type SubOrganizationTexts = typeof subOrganizations
