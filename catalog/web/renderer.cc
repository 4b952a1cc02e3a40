#include "catalog/web/renderer.h"

#include <ctemplate/template.h>
#include <ctemplate/template_cache.h>
#include <ctemplate/template_dictionary.h>
#include <glog/logging.h>

#include <nlohmann/json.hpp>

#include "catalog/web/templates.h"

namespace catalogd::web {
namespace {

using ctemplate::TemplateDictionary;
using nlohmann::json;

std::string Upper(const std::string& key) {
  std::string out = key;
  for (char& c : out) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    if (c == '-' || c == '.') c = '_';
  }
  return out;
}

bool Says(const json& value) {
  if (value.is_null()) return false;
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number()) return value != 0;
  if (value.is_string()) return !value.get_ref<const std::string&>().empty();
  return !value.empty();
}

std::string ScalarText(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  return value.is_null() ? "" : value.dump();
}

// Raw objects of the metastore are for programs: their field names are foreign text, and every name
// that meets a template is remembered for ever.
constexpr char kNotShown[] = "object";

void Fill(const json& object, TemplateDictionary* dictionary) {
  for (const auto& [key, value] : object.items()) {
    if (key == kNotShown) continue;
    const std::string name = Upper(key);
    dictionary->ShowSection((Says(value) ? "IF_" : "NO_") + name);
    if (value.is_object()) {
      if (!value.empty()) Fill(value, dictionary->AddSectionDictionary(name));
    } else if (value.is_array()) {
      for (const json& element : value) {
        TemplateDictionary* section = dictionary->AddSectionDictionary(name);
        if (element.is_object()) {
          Fill(element, section);
        } else {
          section->SetValue("ITEM", ScalarText(element));
        }
      }
    } else {
      dictionary->SetValue(name, ScalarText(value));
    }
  }
}

// A list `x` that several pages show in the same way has a template of its own, x_rows.tpl, which
// {{>X_ROWS}} includes.
void FillSharedRows(const json& object, TemplateDictionary* dictionary) {
  for (const auto& [template_name, text] : Templates()) {
    const size_t end = template_name.find("_rows.tpl");
    if (end == std::string_view::npos) continue;
    const std::string key(template_name.substr(0, end));
    if (!object.contains(key)) continue;
    TemplateDictionary* rows = dictionary->AddIncludeDictionary(Upper(key) + "_ROWS");
    rows->SetFilename(std::string(template_name));
    Fill({{key, object.at(key)}}, rows);
  }
}

void FillFrame(const Frame& frame, TemplateDictionary* dictionary) {
  dictionary->SetValue("TITLE", frame.title);
  dictionary->SetValue("PRODUCT", frame.product);
  dictionary->SetValue("SELF", frame.path + "?" + frame.query);
  dictionary->SetValueAndShowSection("BANNER", frame.banner,
                                     frame.banner_serious ? "SERIOUS_BANNER" : "MILD_BANNER");
  if (frame.banner.empty()) dictionary->ShowSection("NO_BANNER");
  if (frame.refresh_seconds > 0) {
    dictionary->SetIntValue("REFRESH", static_cast<long>(frame.refresh_seconds));
    dictionary->ShowSection("REFRESHING");
  } else {
    dictionary->ShowSection("STILL");
  }
  for (const Frame::Link& link : frame.navigation) {
    TemplateDictionary* entry = dictionary->AddSectionDictionary("NAVIGATION");
    entry->SetValue("PATH", link.path);
    entry->SetValue("NAME", link.title);
    if (link.current) entry->ShowSection("CURRENT");
  }
}

}  // namespace

struct Renderer::Cache {
  ctemplate::TemplateCache templates;
};

Renderer::Renderer() : cache_(std::make_unique<Cache>()) {
  for (const auto& [name, text] : Templates()) {
    const bool parsed = cache_->templates.StringToTemplateCache(
        ctemplate::TemplateString(name.data(), name.size()),
        ctemplate::TemplateString(text.data(), text.size()), ctemplate::STRIP_BLANK_LINES);
    CHECK(parsed) << "template " << name << " is broken";
  }
}
Renderer::~Renderer() = default;

std::string Renderer::Render(const Frame& frame, const std::string& template_name,
                             const json& data) const {
  TemplateDictionary dictionary("page");
  FillFrame(frame, &dictionary);
  TemplateDictionary* content = dictionary.AddIncludeDictionary("CONTENT");
  content->SetFilename(template_name);
  Fill(data, content);
  FillSharedRows(data, content);
  std::string out;
  if (!cache_->templates.ExpandWithData("frame.tpl", ctemplate::STRIP_BLANK_LINES, &dictionary,
                                        nullptr, &out)) {
    LOG(ERROR) << "template " << template_name << " cannot be expanded";
  }
  return out;
}

}  // namespace catalogd::web
