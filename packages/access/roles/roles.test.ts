import { expect, test } from 'vitest'
import { isRoleName, listRoles, PERMISSIONS, type Permission, permissionsOf } from './roles.ts'

const WEAKEST_FIRST = ['viewer', 'annotator', 'editor', 'developer', 'admin', 'owner'] as const

test.each([
  ['viewer', 23],
  ['annotator', 32],
  ['editor', 48],
  ['developer', 53],
  ['admin', 59],
  ['owner', 64],
])('the role %s has %i permissions', (role, count) => {
  expect(permissionsOf(role).size).toBe(count)
  expect(isRoleName(role)).toBe(true)
})

test('each role has what the weaker ones have', () => {
  for (const [index, role] of WEAKEST_FIRST.entries()) {
    const weaker = permissionsOf(WEAKEST_FIRST[index - 1] ?? null)
    expect(weaker.isSubsetOf(permissionsOf(role))).toBe(true)
  }
})

test.each<[Permission, (typeof WEAKEST_FIRST)[number]]>([
  ['view_spans', 'viewer'],
  ['run_service', 'viewer'],
  ['edit_spans', 'annotator'],
  ['edit_evaluation_runs', 'annotator'],
  ['edit_application', 'editor'],
  ['edit_secret', 'editor'],
  ['view_api_keys', 'developer'],
  ['deploy_environments', 'developer'],
  ['modify_user_roles', 'admin'],
  ['delete_organization', 'owner'],
])('%s begins with %s', (permission, weakest) => {
  const having = WEAKEST_FIRST.filter(role => permissionsOf(role).has(permission))
  expect(having).toEqual(WEAKEST_FIRST.slice(WEAKEST_FIRST.indexOf(weakest)))
})

test.each([null, '', 'Owner', 'root', '__proto__'])('%j is no role and may do nothing', role => {
  expect(permissionsOf(role).size).toBe(0)
})

test('permissions are listed once each, sorted', () => {
  expect(PERMISSIONS).toEqual([...new Set(PERMISSIONS)].sort())
  expect(PERMISSIONS).toHaveLength(64)
})

test('roles are listed by scope', () => {
  const roles = listRoles()
  expect(roles.organization.map(({ role, permissions }) => [role, permissions])).toEqual([
    ['owner', ['*']],
    ['admin', []],
    ['viewer', []],
  ])
  const sizes = [1, 59, 23, 53, 48, 32]
  for (const scope of [roles.workspace, roles.project]) {
    expect(scope.map(one => one.role)).toEqual(['owner', 'admin', 'viewer', 'developer', 'editor', 'annotator'])
    expect(scope.map(one => one.permissions.length)).toEqual(sizes)
    expect(scope.every(one => one.description !== '')).toBe(true)
  }
})
