#include "tests/scenario/bend.h"

#include <glog/logging.h>
#include <zlib.h>

#include <cctype>
#include <nlohmann/json.hpp>
#include <utility>

namespace catalogd::scenario {
namespace {

using hms::NotificationEvent;
using Json = nlohmann::ordered_json;

std::string Gzip(const std::string& text) {
  constexpr int kGzipWindow = 15 + 16;
  z_stream stream{};
  CHECK_EQ(deflateInit2(&stream, 6, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(deflateBound(&stream, text.size()) + 32, '\0');
  std::string input = text;
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  CHECK_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string Base64(const std::string& bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    for (size_t j = 0; j < 3; ++j) {
      group = group << 8U;
      if (i + j < bytes.size()) group |= static_cast<uint8_t>(bytes[i + j]);
    }
    for (size_t j = 0; j < 4; ++j) {
      const uint32_t digit = (group >> (18U - 6U * static_cast<uint32_t>(j))) & 63U;
      text += i + j > bytes.size() ? '=' : kDigits[digit];
    }
  }
  return text;
}

std::string Capitals(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

void ChangeMessage(NotificationEvent* row, const std::function<void(Json*)>& change) {
  Json message = Json::parse(row->message);
  change(&message);
  row->message = message.dump();
}

void InCapitals(NotificationEvent* row) {
  if (row->db) row->db = Capitals(*row->db);
  if (row->table) row->table = Capitals(*row->table);
  ChangeMessage(row, [](Json* message) {
    for (const char* key : {"db", "table"}) {
      if (message->contains(key)) (*message)[key] = Capitals((*message)[key]);
    }
  });
}

void SetColumn(std::optional<std::string>* column, const std::string& value) {
  if (value == "none") {
    column->reset();
  } else {
    *column = value;
  }
}

Bend MakeOne(const std::string& key, const std::string& value) {
  if (key == "gzip") {
    return [](NotificationEvent* row) {
      row->message = Base64(Gzip(row->message));
      row->format = "gzip(json-2.0)";
    };
  }
  if (key == "capitals") return InCapitals;
  if (key == "format") return [=](NotificationEvent* row) { SetColumn(&row->format, value); };
  if (key == "catalog") return [=](NotificationEvent* row) { SetColumn(&row->catalog, value); };
  if (key == "db") return [=](NotificationEvent* row) { SetColumn(&row->db, value); };
  if (key == "table") return [=](NotificationEvent* row) { SetColumn(&row->table, value); };
  if (key == "type") return [=](NotificationEvent* row) { row->type = value; };
  if (key == "time") return [=](NotificationEvent* row) { row->time = std::stoi(value); };
  if (key == "id") return [=](NotificationEvent* row) { row->id = EventId(std::stoll(value)); };
  if (key == "message") return [=](NotificationEvent* row) { row->message = value; };
  if (key == "cut") {
    return [=](NotificationEvent* row) { row->message.resize(std::stoul(value)); };
  }
  if (key == "without") {
    return [=](NotificationEvent* row) {
      ChangeMessage(row, [&](Json* message) { message->erase(value); });
    };
  }
  if (key == "with") {
    return [=](NotificationEvent* row) {
      const size_t colon = value.find(':');
      ChangeMessage(row, [&](Json* message) {
        (*message)[value.substr(0, colon)] = Json::parse(value.substr(colon + 1));
      });
    };
  }
  return nullptr;
}

}  // namespace

Result<Bend> MakeBend(const std::vector<std::string>& words) {
  std::vector<Bend> bends;
  for (const std::string& word : words) {
    const size_t at = word.find('=');
    Bend bend = at == std::string::npos ? MakeOne(word, "")
                                        : MakeOne(word.substr(0, at), word.substr(at + 1));
    if (!bend) return MakeError(ErrorCode::kInvalidArgument, "no way to bend a row: " + word);
    bends.push_back(std::move(bend));
  }
  return Bend([bends](NotificationEvent* row) {
    for (const Bend& bend : bends) bend(row);
  });
}

}  // namespace catalogd::scenario
