#pragma once

#include "catalog/daemon/views.h"
#include "catalog/web/site.h"

namespace catalogd::daemon {

// Puts the daemon's pages, health and banner on the site. The sources outlive the site.
void AddPages(const ViewSources* sources, web::Site* site);
// Those of table coordination (pages_coord.cc).
void AddCoordPages(const ViewSources* sources, web::Site* site);
web::Health MakeHealth(const ViewSources& sources);

}  // namespace catalogd::daemon
