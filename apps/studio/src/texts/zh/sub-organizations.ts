import type { SubOrganizationTexts } from '../en/sub-organizations.ts'

export const subOrganizations: SubOrganizationTexts = {
  title: '子组织',
  text: '每个子组织有自己的项目、人员和引擎。此组织的所有者和管理员在其中保留其角色。',
  make: '新建子组织',
  name: '名称',
  description: '描述',
  projects: '项目',
  members: '成员',
  noAccess: '无权访问',
  none: '还没有子组织。部门或客户可以有自己的项目和人员。',
}
