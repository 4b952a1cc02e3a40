#pragma once

// Clang's thread-safety attributes; nothing on other compilers.
#if defined(__clang__)
#define CATALOGD_ATTRIBUTE(x) __attribute__((x))
#else
#define CATALOGD_ATTRIBUTE(x)
#endif

#define CAPABILITY(x) CATALOGD_ATTRIBUTE(capability(x))
#define SCOPED_CAPABILITY CATALOGD_ATTRIBUTE(scoped_lockable)
#define GUARDED_BY(x) CATALOGD_ATTRIBUTE(guarded_by(x))
#define PT_GUARDED_BY(x) CATALOGD_ATTRIBUTE(pt_guarded_by(x))
#define REQUIRES(...) CATALOGD_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define REQUIRES_SHARED(...) CATALOGD_ATTRIBUTE(requires_shared_capability(__VA_ARGS__))
#define ACQUIRE(...) CATALOGD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define ACQUIRE_SHARED(...) CATALOGD_ATTRIBUTE(acquire_shared_capability(__VA_ARGS__))
#define RELEASE(...) CATALOGD_ATTRIBUTE(release_capability(__VA_ARGS__))
#define RELEASE_SHARED(...) CATALOGD_ATTRIBUTE(release_shared_capability(__VA_ARGS__))
#define RELEASE_GENERIC(...) CATALOGD_ATTRIBUTE(release_generic_capability(__VA_ARGS__))
#define EXCLUDES(...) CATALOGD_ATTRIBUTE(locks_excluded(__VA_ARGS__))
#define ASSERT_CAPABILITY(x) CATALOGD_ATTRIBUTE(assert_capability(x))
#define NO_THREAD_SAFETY_ANALYSIS CATALOGD_ATTRIBUTE(no_thread_safety_analysis)
